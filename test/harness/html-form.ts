/** A form as a browser reads it from a page, and the request it sends for it. Supports only what our own pages use. */
export interface Form {
  action: string
  /** Everything but boxes and buttons: hidden and text fields, text areas, and chosen options, with their values. */
  fields: [name: string, value: string][]
  boxes: { name: string; value: string; isTicked: boolean }[]
  buttons: { name: string; value: string; label: string }[]
}

/** The forms of a page, without the choice of colours below each. */
export function formsOf(page: string): Form[] {
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
    .map(([, attributes = '', content = '']) => ({
      action: attributesOf(attributes).get('action') ?? '',
      ...controlsOf(content),
    }))
    .filter(({ action }) => action !== '/theme')
}

/** The form of the page that goes to this path. */
export function formTo(path: string, page: string): Form {
  const form = formsOf(page).find(({ action }) => action.split('?', 1)[0] === path)
  if (form === undefined) throw new Error(`the page has no form for ${path}:\n${page}`)
  return form
}

function controlsOf(content: string): Pick<Form, 'fields' | 'boxes' | 'buttons'> {
  const form: Pick<Form, 'fields' | 'boxes' | 'buttons'> = { fields: [], boxes: [], buttons: [] }
  for (const [, text = ''] of content.matchAll(/<input\b([^>]*)>/g)) {
    const attributes = attributesOf(text)
    const name = attributes.get('name')
    if (name === undefined || attributes.has('disabled')) continue
    const type = attributes.get('type') ?? 'text'
    if (type === 'checkbox') {
      form.boxes.push({ name, value: attributes.get('value') ?? 'on', isTicked: attributes.has('checked') })
    } else if (type === 'radio') {
      if (attributes.has('checked')) form.fields.push([name, attributes.get('value') ?? 'on'])
    } else if (type !== 'submit' && type !== 'file') {
      form.fields.push([name, attributes.get('value') ?? ''])
    }
  }
  for (const [, text = '', value = ''] of content.matchAll(/<textarea\b([^>]*)>\n?(.*?)<\/textarea>/gs)) {
    form.fields.push([attributesOf(text).get('name') ?? '', textOf(value)])
  }
  for (const [, text = '', options = ''] of content.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)) {
    const choices = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, option = '']) => attributesOf(option))
    const chosen = choices.find(choice => choice.has('selected')) ?? choices[0]
    form.fields.push([attributesOf(text).get('name') ?? '', chosen?.get('value') ?? ''])
  }
  for (const [, text = '', label = ''] of content.matchAll(/<button\b([^>]*)>(.*?)<\/button>/gs)) {
    const attributes = attributesOf(text)
    form.buttons.push({
      name: attributes.get('name') ?? '',
      value: attributes.get('value') ?? '',
      label: label.trim(),
    })
  }
  return form
}

function attributesOf(text: string): Map<string, string> {
  const found = text.matchAll(/([\w-]+)(?:\s*=\s*"([^"]*)")?/g)
  return new Map([...found].map(([, name = '', value = '']) => [name, textOf(value)]))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The characters that a browser reads from text in a page. It alters NUL and line ends, and so does this. */
export function textOf(markup: string): string {
  return markup
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\u{fffd}')
    .replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return entities[name] ?? whole
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
    })
}

/** The words of a page, as a person reads them. */
export const wordsOf = (page: string) =>
  page
    .replace(/<\/?bdi>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

/** The body that a browser sends: lone line ends become CR LF. */
export function formBody(fields: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, value.replace(/\r\n|\r|\n/g, '\r\n')]),
  ).toString()
}
