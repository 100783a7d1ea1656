/** The tokens of the style sheet, so that the component page shows what there is, and not what there was. */
export interface DesignToken {
  name: string
  light: string
  /** Undefined when it is the same in both themes. */
  dark: string | undefined
}

export function designTokens(css: string): DesignToken[] {
  const [light = '', dark = ''] = [...css.matchAll(/:root \{(.*?)\}/gs)].map(([, content = '']) => content)
  const inDark = new Map(declarations(dark))
  return declarations(light).map(([name, value]) => ({ name, light: value, dark: inDark.get(name) }))
}

function declarations(block: string): [name: string, value: string][] {
  return [...block.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name = '', value = '']) => [name, value])
}

/** A colour that can be painted as it stands. */
export function isColour(value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value)
}
