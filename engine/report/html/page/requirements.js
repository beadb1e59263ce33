import { all } from './elements.js'
import { wordsOf } from './words.js'

const form = document.querySelector('form.filters')
const requirements = all('details.requirement').map((element) => ({
  element,
  outcomes: element.dataset.outcomes.split(' '),
  chapter: element.closest('.chapter').dataset.chapter,
  text: element.textContent.toLowerCase(),
}))

/** Shows what the fields of the form ask for. */
export function filter() {
  if (!form) return
  const data = new FormData(form)
  const words = wordsOf(data.get('text'))
  const wanted = data.getAll('outcome')
  const is = (name, value) => !data.get(name) || data.get(name) === value
  for (const { element, outcomes, chapter, text } of requirements) {
    const { level, fresh, order } = element.dataset
    element.hidden = !(
      (!data.get('order') || order === undefined) &&
      is('level', level) &&
      is('chapter', chapter) &&
      (!data.get('fresh') || fresh !== undefined) &&
      (wanted.length === 0 || outcomes.some((outcome) => wanted.includes(outcome))) &&
      words.every((word) => text.includes(word))
    )
  }
  for (const group of all('.chapter, .document')) {
    group.hidden = !group.querySelector('.requirement:not([hidden])')
    if (words.length > 0 && group.open === false) group.open = true
  }
  const shown = requirements.filter(({ element }) => !element.hidden).length
  const of = shown === requirements.length ? '' : ` of ${requirements.length}`
  form.querySelector('output').textContent = `${shown}${of} requirements`
}

/** What is filtered and what is open live in the address: #view?outcome=fail&open=ACC-01. */
export const VIEW = '#view?'

function remember() {
  const words = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    if (value !== '' || name === 'order') words.append(name, value)
  }
  for (const { id } of all('.requirement[open]')) words.append('open', id)
  location.replace(VIEW + words)
}

function changed() {
  filter()
  remember()
}

/** Sets the filters as these words say, and opens what they name; no words, no filter. */
export function recall(words) {
  for (const field of form.elements) {
    if (!field.name) continue
    if (field.type === 'checkbox') field.checked = words.getAll(field.name).includes(field.value)
    else field.value = words.get(field.name) ?? ''
  }
  for (const id of words.getAll('open')) {
    const element = document.getElementById(id)
    if (element) element.open = true
  }
  filter()
}

/** Filters over requirements, as the address says. */
export function startFilters() {
  if (!form) return
  form.hidden = false
  form.addEventListener('input', changed)
  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('reset', () =>
    setTimeout(() => {
      form.elements.order.value = ''
      changed()
    }),
  )
  if (!location.hash.startsWith(VIEW)) filter()
  else recall(new URLSearchParams(location.hash.slice(VIEW.length)))
  for (const { element } of requirements) {
    element.querySelector('summary').addEventListener('click', () => setTimeout(remember))
  }
}
