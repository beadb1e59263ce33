import { all } from './elements.js'
import { show } from './exchange-list.js'
import { recall, VIEW } from './requirements.js'

/** Opens what is closed around the end of a link into the page. */
function reveal() {
  if (location.hash.startsWith(VIEW)) return
  const id = decodeURIComponent(location.hash.slice(1))
  if (id.startsWith('exchange-')) show(id.slice(9))
  const target = document.getElementById(id)
  if (!target) return
  if (target.closest('.requirement')?.hidden) recall(new URLSearchParams())
  for (const details of all(':scope > details:only-of-type', target)) details.open = true
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === 'DETAILS') at.open = true
    at.hidden = false
  }
  target.scrollIntoView()
}

/** Links into the page, that of the address at once. */
export function startLinks() {
  addEventListener('hashchange', reveal)
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#"]')
    if (link && link.getAttribute('href') === location.hash) reveal()
  })
  reveal()
}
