/** HTML that is safe to insert in a page. Created by the tag below. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }

  /** A template without the tag `html` would contain "[object Object]". */
  toString(): never {
    throw new TypeError('HTML in a template that is not tagged with html')
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[]

/** Escapes every value that is not already HTML; undefined, null and false render as nothing. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function textOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(textOf).join('')
  return String(value).replace(/[&<>"']/g, character => entities[character] ?? '')
}

/** A boolean attribute: `<input ${flag('checked', isChecked)}>`. */
export function flag(
  name: 'checked' | 'selected' | 'required' | 'autofocus' | 'open' | 'data-offered',
  isSet: boolean,
): Html {
  return new Html(isSet ? name : '')
}
