/** Reads the design tokens from the stylesheet, so that the component gallery is always up to date. */
export interface DesignToken {
  name: string
  light: string
  /** Undefined if it is the same in both themes. */
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

/** Whether the token is a colour that can be shown as a swatch. */
export function isColour(value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value)
}
