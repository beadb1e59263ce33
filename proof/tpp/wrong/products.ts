import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const wrong: WrongTpp[] = [
  {
    id: 'products-by-the-page',
    story: 'Every list is asked for page by page.',
    fails: ['PROD-02/request'],
    conduct: { productRequest: ({ url, headers }) => ({ url: `${url}?page=1`, headers }) },
  },
  {
    id: 'products-without-content-type',
    story: 'A GET has no body, so it has no Content-Type.',
    fails: ['PROD-02/request'],
    conduct: {
      productRequest: ({ url, headers }) => ({ url, headers: { accept: headers.accept ?? '' } }),
    },
  },
  {
    id: 'no-products',
    story: 'The product list was never built.',
    warns: ['TPRD-01/read'],
    conduct: { cannot: ['products'] },
  },
  {
    id: 'products-of-yesterday',
    story: 'Where the list cannot be read, that of yesterday is shown as if it were new.',
    warns: ['TPRD-02/internal-error', 'TPRD-02/not-found', 'TPRD-02/unavailable'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('products was refused') },
  },
  {
    id: 'least-fee-of-none',
    story:
      'The least fee of the list is worked out from those that are there; of none there is no least.',
    warns: ['TPRD-03/least'],
    conduct: { needs: { ...nothing, overLimitFees: true } },
  },
  {
    id: 'no-list-is-an-empty-list',
    story: 'The list is what stands in data, or empty.',
    warns: ['TPRD-05/page'],
    conduct: { claimsSuccess: (reason) => reason === 'products: the answer holds no list' },
  },
  {
    id: 'members-of-products-all-known',
    story: 'The parser of products throws at a member that it does not know.',
    warns: ['TPRD-03/unknown-members'],
    conduct: { needs: { ...nothing, productMembers: true } },
  },
  {
    id: 'every-product-has-a-url',
    story: 'The name of a product is a link, so each has an address.',
    warns: ['TPRD-03/not-live'],
    conduct: { needs: { ...nothing, productUrls: true } },
  },
  {
    id: 'rates-of-products-are-numbers',
    story: 'Products are sorted by their rate, which is a number.',
    warns: ['TPRD-03/other-words'],
    conduct: { needs: { ...nothing, numericRates: true } },
  },
  {
    id: 'products-as-a-patch',
    story: 'The Content-Type comes from the function that changes profiles.',
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
