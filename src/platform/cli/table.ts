/** Formats rows as aligned text, or as JSON for programs; `whenEmpty` suggests what to do next. */
export function formatList(
  rows: readonly Record<string, unknown>[],
  options: { json: boolean; whenEmpty: string },
): string {
  if (options.json) return `${JSON.stringify(rows, null, 2)}\n`
  const [first] = rows
  if (first === undefined) return `${options.whenEmpty}\n`
  const names = Object.keys(first)
  const lines = [names, ...rows.map(row => names.map(name => cell(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map(line => (line[column] ?? '').length)))
  return lines
    .map(
      line =>
        `${line
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function cell(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ') || '-'
  return value === null || value === undefined ? '-' : String(value)
}

export function isoTime(at: number): string
export function isoTime(at: number | null): string | null
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
