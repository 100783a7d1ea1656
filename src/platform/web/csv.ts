/** RFC 4180 with a byte order mark, from which spreadsheets detect the encoding, and protection against formulas. */

export const byteOrderMark = '\uFEFF'

/**
 * Matches where a spreadsheet could start a formula: at a formula sign, including full-width ones, after any invisible
 * characters. In locales with a decimal comma, spreadsheets split cells at `;` and tabs and read quotation marks inside
 * as text, so a cell can also start in the middle of one of ours.
 */
const formulaStart =
  /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=[["\s\p{Cc}\p{Cf}\p{DI}]--[\t\r\n]]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gv

/** A quick test that rules out most text. */
const mayBeFormula = /^[^a-z0-9]|[;\t\r\n]/i

/** Text is always quoted, so that no character in it ends the cell. */
function cell(value: string | number | null): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return String(value)
  const safe = mayBeFormula.test(value) ? value.replace(formulaStart, "'") : value
  return `"${safe.replaceAll('"', '""')}"`
}

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}
