import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../record/root.ts'
import { htmlText, type Markup, markup, raw } from './markup.ts'
import { scriptOf } from './script.ts'

const FOLDER = join(root, 'engine', 'report', 'html')

/**
 * A whole page in one file. The policy in its head allows only its style sheet and its script, by their hashes.
 *
 * @param styles names of style sheets of this folder
 * @param script the entry module of its script, in this folder
 */
export function document(title: string, styles: string[], body: Markup, script?: string): string {
  const style = styles.map(asset).join('')
  const code = script && scriptOf(join(FOLDER, script))
  const policy = [
    "default-src 'none'",
    ...(code ? [`script-src '${hash(code)}'`] : []),
    `style-src '${hash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return htmlText(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title} · Assay</title>
<style>${raw(style)}</style>
</head>
<body>
${body}${code && markup`\n<script>${raw(code)}</script>`}
</body>
</html>
`)
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function asset(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8')
}
