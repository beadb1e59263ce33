import { all } from './elements.js'
import { fill } from './exchange.js'
import { filter } from './requirements.js'

/** What didn't pass is open on paper, whatever was open on the screen. */
export function startPrinting() {
  let opened = []
  addEventListener('beforeprint', () => {
    for (const element of all('.requirement, .chapter, .document')) element.hidden = false
    opened = all('details[data-print], details.chapter, .causes details, .victims').filter(
      (details) => !details.open,
    )
    for (const details of opened) {
      if (details.dataset.exchange) fill(details)
      details.open = true
    }
  })
  addEventListener('afterprint', () => {
    filter()
    for (const details of opened) details.open = false
  })
}
