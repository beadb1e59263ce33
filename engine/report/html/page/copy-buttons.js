import { all, make } from './elements.js'

/** A button beside each command, which copies it. */
export function startCopying() {
  for (const pre of all('.curl pre')) {
    const status = make('span', { role: 'status' })
    const code = pre.querySelector('code')
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(code.textContent)
        status.textContent = ' copied'
      } catch {
        getSelection().selectAllChildren(code)
        status.textContent = ' selected: copy it with the keyboard'
      }
    }
    pre.after(make('button', { type: 'button', click: copy }, 'Copy'), status)
  }
}
