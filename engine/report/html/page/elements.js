// Whatever a bank sent reaches the screen through textContent only.

export const all = (selector, root = document) => [...root.querySelectorAll(selector)]

/** An element with attributes and children; strings become text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else element.setAttribute(name, value)
  }
  const nodes = children.map((each) => (each instanceof Node ? each : visible(String(each))))
  element.append(...nodes)
  return element
}

const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Controls, bidirectional overrides and the like, spelled out. */
function visible(text) {
  return text.replace(
    INVISIBLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
