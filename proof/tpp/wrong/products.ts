import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const wrong: WrongTpp[] = [
  {
    id: 'products-by-the-page',
    story: 'The client adds page=1 to the product request.',
    fails: ['PROD-02/request'],
    conduct: { productRequest: ({ url, headers }) => ({ url: `${url}?page=1`, headers }) },
  },
  {
    id: 'products-without-content-type',
    story: 'The client sends no Content-Type with the product request.',
    fails: ['PROD-02/request'],
    conduct: {
      productRequest: ({ url, headers }) => ({ url, headers: { accept: headers.accept ?? '' } }),
    },
  },
  {
    id: 'no-products',
    story: 'The client cannot read the products, because this function was not built.',
    warns: ['TPRD-01/read'],
    conduct: { cannot: ['products'] },
  },
  {
    id: 'products-of-yesterday',
    story: 'If the products cannot be read, the client shows an old list as if it were new.',
    warns: ['TPRD-02/internal-error', 'TPRD-02/not-found', 'TPRD-02/unavailable'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('products was refused') },
  },
  {
    id: 'least-fee-of-none',
    story: 'The client fails if no product has an OverLimitFee.',
    warns: ['TPRD-03/least'],
    conduct: { needs: { ...nothing, overLimitFees: true } },
  },
  {
    id: 'no-list-is-an-empty-list',
    story: 'The client treats a product response without a list as an empty list.',
    warns: ['TPRD-05/page'],
    conduct: { claimsSuccess: (reason) => reason === 'products: the answer holds no list' },
  },
  {
    id: 'members-of-products-all-known',
    story: 'The client fails if a product has a member that it does not know.',
    warns: ['TPRD-03/unknown-members'],
    conduct: { needs: { ...nothing, productMembers: true } },
  },
  {
    id: 'every-product-has-a-url',
    story: 'The client fails if a product has no ProductURL.',
    warns: ['TPRD-03/not-live'],
    conduct: { needs: { ...nothing, productUrls: true } },
  },
  {
    id: 'rates-of-products-are-numbers',
    story: 'The client fails if a rate is not a number.',
    warns: ['TPRD-03/other-words'],
    conduct: { needs: { ...nothing, numericRates: true } },
  },
  {
    id: 'products-as-a-patch',
    story: 'The client sends Content-Type application/json-patch+json with the product request.',
    fails: ['PROD-02/request'],
    conduct: {
      productRequest: ({ url, headers }) => ({
        url,
        headers: { ...headers, 'content-type': 'application/json-patch+json' },
      }),
    },
  },
]

export default wrong
