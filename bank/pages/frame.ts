import type { Context } from 'koa'

/** Text that is already HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(value: unknown): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(escaped).join('')
  if (value === undefined || value === false) return ''
  return String(value).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}

/** Template tag: escapes values, except Html. Undefined and false become empty text. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  const text = parts.map(
    (part, index) => part + (index < values.length ? escaped(values[index]) : ''),
  )
  return new Html(text.join(''))
}

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #16202c }
header { background: #12344d; color: #fff; padding: .75rem 1.5rem; font-weight: 600 }
main { max-width: 38rem; margin: 2rem auto; padding: 1.5rem 2rem; background: #fff; border-radius: .5rem }
h1 { font-size: 1.4rem; margin-top: 0 }
label { display: block; margin: .75rem 0 }
input[type=text], input[type=password] { display: block; font: inherit; padding: .5rem; width: 100%; box-sizing: border-box; border: 1px solid #5b6b7b; border-radius: .25rem }
button { font: inherit; padding: .6rem 1.4rem; margin: .5rem .75rem 0 0; border-radius: .25rem; border: 1px solid #12344d; background: #12344d; color: #fff; cursor: pointer }
button.quiet { background: #fff; color: #12344d }
fieldset { border: 1px solid #c4ccd4; border-radius: .25rem; margin: 1rem 0 }
.problem { border-left: .3rem solid #b3261e; padding: .5rem 1rem; background: #fbeceb }
dt { font-weight: 600 } dd { margin: 0 0 .5rem 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .4rem .6rem .4rem 0; vertical-align: top; border-bottom: 1px solid #dde3e9 }
`

const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers with a page: no scripts, no frames, no caching. */
export function answerPage(ctx: Context, status: number, title: string, content: Html): void {
  ctx.status = status
  ctx.set('content-security-policy', policy)
  ctx.set('cache-control', 'no-store')
  ctx.set('referrer-policy', 'no-referrer')
  ctx.set('x-content-type-options', 'nosniff')
  ctx.set('x-frame-options', 'DENY')
  ctx.type = 'html'
  ctx.body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Assay Reference Bank</title>
<style>${new Html(style)}</style>
</head>
<body>
<header>Assay Reference Bank</header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text
}
