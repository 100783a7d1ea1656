/** RFC 4180, for spreadsheets: they take the encoding from the first character, and text for formulas. */

export const byteOrderMark = '\uFEFF'

/**
 * Where a spreadsheet might begin to compute, or to hand over to another program: at a sign, also a full-width one,
 * whatever invisible stands before it. Where a comma is for decimals, they take `;` and tabs to end a cell, and
 * quotation marks within for text: so the beginning of a cell may also be in the middle of one of ours.
 */
const formulaStart =
  /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=[["\s\p{Cc}\p{Cf}\p{DI}]--[\t\r\n]]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gv

/** Most text is none of this, and is told at a glance. */
const mayBeFormula = /^[^a-z0-9]|[;\t\r\n]/i

/** Text is always in quotes, so that nothing in it ends a cell. */
function cell(value: string | number | null): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return String(value)
  const safe = mayBeFormula.test(value) ? value.replace(formulaStart, "'") : value
  return `"${safe.replaceAll('"', '""')}"`
}

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}
