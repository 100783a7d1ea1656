/** RFC 4180, for spreadsheets: they take the encoding from the first character, and text for formulas. */

export const byteOrderMark = '\uFEFF'

/** What a spreadsheet would compute, or hand over to another program. */
const formulaStart = /^[=+\-@\t\r]/

function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}
