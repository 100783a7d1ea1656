/** Reads the design tokens from the stylesheet, so that the component gallery is always up to date. */
export interface DesignToken {
  name: string
  light: string
  /** Undefined if it is the same in both themes. */
  dark: string | undefined
}

export function designTokens(css: string): DesignToken[] {
  const [, block = ''] = /:root\{(.*?)\}/s.exec(css) ?? []
  return [...block.matchAll(/(--[\w-]+):([^;]+)/g)].map(([, name = '', value = '']) => {
    const [, light = value, dark] = /^light-dark\((#\w+),(#\w+)\)$/.exec(value) ?? []
    return { name, light, dark }
  })
}

/** Whether the token is a colour that can be shown as a swatch. */
export function isColour(value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value)
}
