import type { VisitRequest } from './driver.ts'

/**
 * Is this where the TPP takes over? Any address of the TPP's host is: nothing but the bank's pages
 * is ever fetched, also when a wrong bank redirects to another path.
 */
export function landsAt(
  address: string,
  { redirectUris, url }: Pick<VisitRequest, 'redirectUris' | 'url'>,
): boolean {
  if (!URL.canParse(address)) return false
  const { origin, pathname } = new URL(address)
  return redirectUris.some((uri) => {
    if (!URL.canParse(uri)) return false
    const wanted = new URL(uri)
    if (wanted.origin !== origin) return false
    return wanted.pathname === pathname || origin !== new URL(url).origin
  })
}
