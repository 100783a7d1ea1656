/** The SVG that the charts need. Colours follow the reader's theme: light or dark. */

const style = `
  .ground { fill: #ffffff } text { fill: #1f2328; font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif }
  .title { font-size: 15px; font-weight: 600 } .quiet { fill: #59636e } .grid { stroke: #d1d9e0; stroke-width: 1 }
  .mark { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 4 3 }
  .a { fill: #0969da } .b { fill: #bc4c00 } .c { fill: #6e7781 } .bad { fill: #cf222e } .good { fill: #1a7f37 }
  .line { fill: none; stroke-width: 2 } .line.a { stroke: #0969da } .line.b { stroke: #bc4c00 } .line.c { stroke: #6e7781 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #f0f6fc } .quiet { fill: #9198a1 } .grid { stroke: #3d444d }
    .mark { stroke: #f0f6fc }
    .a { fill: #4493f8 } .b { fill: #f0883e } .c { fill: #9198a1 } .bad { fill: #f85149 } .good { fill: #3fb950 }
    .line { fill: none } .line.a { stroke: #4493f8 } .line.b { stroke: #f0883e } .line.c { stroke: #9198a1 }
  }
`

/** One of the two databases, their floor, or a verdict. */
export type Tone = 'a' | 'b' | 'c' | 'good' | 'bad'
export const toneOf = (label: string): Tone => (label === 'SQLite' ? 'a' : label === 'PostgreSQL' ? 'b' : 'c')

export interface Picture {
  width: number
  height: number
  title: string
  /** Alternative text. */
  description: string
  parts: string[]
}

export function svg({ width, height, title, description, parts }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>${style}</style>
<rect class="ground" width="${width}" height="${height}" rx="6"/>
${text(20, 28, title, { class: 'title' })}
${parts.join('\n')}
</svg>
`
}

export function text(
  x: number,
  y: number,
  content: string,
  { class: name = '', anchor = 'start' }: { class?: string; anchor?: 'start' | 'middle' | 'end' } = {},
): string {
  return `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}"${named(name)}>${escaped(content)}</text>`
}

export function line(x1: number, y1: number, x2: number, y2: number, name: string): string {
  return `<line x1="${short(x1)}" y1="${short(y1)}" x2="${short(x2)}" y2="${short(y2)}"${named(name)}/>`
}

export function rect(x: number, y: number, width: number, height: number, name: string): string {
  return `<rect x="${short(x)}" y="${short(y)}" width="${short(Math.max(width, 0.5))}" height="${short(height)}" rx="2"${named(name)}/>`
}

export function circle(x: number, y: number, radius: number, name: string): string {
  return `<circle cx="${short(x)}" cy="${short(y)}" r="${radius}"${named(name)}/>`
}

export function polyline(points: readonly (readonly [number, number])[], name: string): string {
  return `<polyline points="${points.map(([x, y]) => `${short(x)},${short(y)}`).join(' ')}"${named(name)}/>`
}

/** A legend in one line: each word follows a square of its colour. */
export function legend(x: number, y: number, entries: readonly (readonly [string, string])[]): string {
  let at = x
  return entries
    .map(([label, name]) => {
      const drawn = rect(at, y - 10, 10, 10, name) + text(at + 15, y, label, { class: 'quiet' })
      at += 35 + label.length * 7
      return drawn
    })
    .join('')
}

function named(name: string): string {
  return name === '' ? '' : ` class="${name}"`
}

function short(number: number): string {
  return String(Math.round(number * 10) / 10)
}

function escaped(content: string): string {
  return content.replace(/[&<>]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
}

/** 1, 2 or 5 times a power of ten, so that about five steps reach `most`. */
export function niceStep(most: number): number {
  const rough = most / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find(candidate => candidate * power >= rough) ?? 10
  return factor * power
}

export function grouped(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 1 ? 2 : value < 100 ? 1 : 0 })
}
