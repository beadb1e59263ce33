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
    warns: ['TPRD-02/unavailable'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('products was refused') },
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
