/** The page of a visit that a request comes from. */
export interface From {
  url: string
  /** Its header Referrer-Policy. */
  policy?: string
}

/**
 * What a browser sends about the page on which a customer pressed a button or followed a link: Referer, and Origin
 * unless the method is GET (Fetch, "append a request Origin header"; Referrer Policy 8.3). Banks refuse a form without
 * them, because another site may have sent it.
 *
 * @param from undefined: the customer comes from a TPP, which reveals nothing about itself.
 */
export function comingFrom(
  from: From | undefined,
  method: string,
  url: string,
): [string, string][] {
  if (!from || !URL.canParse(from.url) || !URL.canParse(url)) return []
  const page = new URL(from.url)
  const isSame = page.origin === new URL(url).origin
  const isDowngrade = page.protocol === 'https:' && new URL(url).protocol !== 'https:'
  const policy = policyOf(from.policy)
  const whole = `${page.origin}${page.pathname}${page.search}`
  const referer = SHOWN[policy]({ whole, origin: `${page.origin}/`, isSame, isDowngrade })
  const isHidden =
    policy === 'no-referrer' ||
    (policy === 'same-origin' && !isSame) ||
    (isDowngrade && !/^(origin|origin-when-cross-origin|unsafe-url)$/.test(policy))
  return [
    ...(referer === undefined ? [] : [['referer', referer] as [string, string]]),
    ...(method === 'GET' ? [] : [['origin', isHidden ? 'null' : page.origin] as [string, string]]),
  ]
}

interface Shown {
  whole: string
  origin: string
  isSame: boolean
  isDowngrade: boolean
}

/** What each policy reveals about a page. */
const SHOWN = {
  'no-referrer': () => undefined,
  'no-referrer-when-downgrade': ({ whole, isDowngrade }) => (isDowngrade ? undefined : whole),
  'same-origin': ({ whole, isSame }) => (isSame ? whole : undefined),
  origin: ({ origin }) => origin,
  'strict-origin': ({ origin, isDowngrade }) => (isDowngrade ? undefined : origin),
  'origin-when-cross-origin': ({ whole, origin, isSame }) => (isSame ? whole : origin),
  'strict-origin-when-cross-origin': ({ whole, origin, isSame, isDowngrade }) => {
    if (isSame) return whole
    return isDowngrade ? undefined : origin
  },
  'unsafe-url': ({ whole }) => whole,
} satisfies Record<string, (page: Shown) => string | undefined>

type Policy = keyof typeof SHOWN

const isPolicy = (word: string): word is Policy => Object.hasOwn(SHOWN, word)

/** The last known word of the header counts. */
function policyOf(header = ''): Policy {
  const words = header.split(',').map((word) => word.trim().toLowerCase())
  return words.findLast(isPolicy) ?? 'strict-origin-when-cross-origin'
}
