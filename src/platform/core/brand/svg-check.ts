/** Shapes, text, gradients and masks. Excluded: scripts, foreign content, images, animations and style sheets. */
const elements = new Set(
  `svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask pattern filter feGaussianBlur feOffset feBlend feColorMatrix feFlood
  feComposite feMerge feMergeNode feDropShadow`.split(/\s+/),
)

const namespace = 'http://www.w3.org/2000/svg'

const maxDepth = 100
/** Counts each reference as a copy of its target. Browsers draw this many without delay. */
const maxShapes = 20_000

/** A comment, the end or the beginning of an element, or text: nothing else occurs in a logo. */
const markup =
  /<!--[\s\S]*?-->|<\/(?<end>[\w:.-]+)\s*>|<(?<name>[\w:.-]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/?)>|[^<]+/y

interface Element {
  name: string
  children: Element[]
  /** IDs of the elements that its attributes refer to. */
  references: string[]
}

/**
 * Throws an Error that says what to change. Accepted files are well-formed and can be drawn, so no logo is a broken
 * image.
 */
export function checkSvg(text: string): void {
  if (/<!(DOCTYPE|ENTITY|\[CDATA)/i.test(text)) throw new Error('must be an SVG without DOCTYPE and CDATA')
  const [declaration = ''] = /^\s*<\?xml [^<>]*\?>/.exec(text) ?? []
  // In other encodings, a quote byte can be part of a character.
  if (/encoding/i.test(declaration) && !/encoding\s*=\s*["']utf-8["']/i.test(declaration)) {
    throw new Error('must be an SVG in UTF-8')
  }
  const named = new Map<string, Element>()
  const top: Element = { name: '', children: [], references: [] }
  const open = [top]
  let hasNamespace = false
  markup.lastIndex = declaration.length
  while (markup.lastIndex < text.length) {
    const { 0: part, groups = {} } = markup.exec(text) ?? damaged()
    const { end, name, attributes = '', empty } = groups
    const parent = open.at(-1) ?? damaged()
    if (end !== undefined && open.pop()?.name !== end) damaged()
    if (open.length === 0 || (open.length === 1 && !part.startsWith('<') && part.trim() !== '')) damaged()
    if (name === undefined) continue
    if (!elements.has(name)) throw new Error(`must be an SVG without <${name.slice(0, 30)}>`)
    const element = elementOf(name, attributes, named)
    if (parent === top && (top.children.length > 0 || name !== 'svg')) damaged()
    if (parent === top) hasNamespace = /\sxmlns\s*=/.test(attributes)
    parent.children.push(element)
    if (empty === '') open.push(element)
    if (open.length > maxDepth) tooDeep()
  }
  if (open.length !== 1 || top.children.length !== 1) damaged()
  if (!hasNamespace) throw new Error(`must be an SVG that begins with <svg xmlns="${namespace}">`)
  if (shapesOf(top, named) > maxShapes) throw new Error('must be an SVG with fewer copies of its shapes')
}

function damaged(): never {
  throw new Error('must be a complete SVG image, and this one is damaged')
}

function tooDeep(): never {
  throw new Error('must be an SVG whose elements are nested less deeply')
}

function elementOf(name: string, attributes: string, named: Map<string, Element>): Element {
  const element: Element = { name, children: [], references: [] }
  for (const [, attribute = '', double, single] of attributes.matchAll(
    /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  )) {
    const value = decoded(double ?? single ?? '')
    checkAttribute(attribute, value)
    if (attribute === 'id') named.set(value, element)
    const [, whole] = /^\s*#(.*)$/s.exec(value) ?? []
    if (/(^|:)href$/i.test(attribute) && whole !== undefined) element.references.push(whole)
    for (const [, id = ''] of value.matchAll(/url\(\s*['"]?#([^'")]*)/gi)) element.references.push(id.trim())
  }
  return element
}

const decoded = (value: string) =>
  value
    .replace(/&#(?:x([0-9a-f]+)|([0-9]+));/gi, (_, hexadecimal, decimal) => {
      const point = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : damaged()
    })
    .replace(/&(quot|apos);/g, '"')

function checkAttribute(name: string, value: string): void {
  if (/^on|^xml:base$/i.test(name)) throw new Error(`must be an SVG without ${name.slice(0, 30)}`)
  if (name === 'xmlns' && value !== namespace)
    throw new Error('must be an SVG with no other namespace than its own')
  const isForeign = /(^|:)href$/i.test(name)
    ? !value.startsWith('#')
    : /url\(\s*['"]?(?!\s*['"]?#)|\\|@import/i.test(value)
  if (isForeign) throw new Error('must be an SVG that refers to nothing outside the file')
}

/** Number of elements that a browser draws. Circular references, which it does not follow, count once. */
function shapesOf(top: Element, named: ReadonlyMap<string, Element>): number {
  const known = new Map<Element, number>()
  const count = (element: Element, depth: number): number => {
    const before = known.get(element)
    if (before !== undefined) return before
    if (depth > 2 * maxDepth) tooDeep()
    known.set(element, 0)
    const referred = element.references.flatMap(id => named.get(id) ?? [])
    const sum = [...element.children, ...referred].reduce((total, each) => total + count(each, depth + 1), 1)
    known.set(element, sum)
    return sum
  }
  return count(top, 0)
}
