import assert from 'node:assert/strict'
import { call, harbour } from '../harness/http.ts'
import type { Browser } from '../harness/oauth.ts'
import type { Service } from '../harness/service.ts'
import { parseXml, type XmlNode } from '../harness/xml.ts'

/** The responses to programs and spreadsheets in a world in which every text is hostile. */

export const listPath = '/v1/advertiser/applications'

const textsOf = (node: XmlNode): string[] => [
  ...Object.values(node.attributes),
  node.text,
  ...node.children.flatMap(textsOf),
]
const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)]
const marked = (texts: string[]) => texts.filter(text => /zq\d{3}zq/.test(text)).toSorted()

/** The JSON and the XML of one path agree, character for character. */
export async function checkVersion1(service: Service, path: string, isKnown: (text: string) => boolean) {
  const ask = async (accept: string) => {
    const answer = await call(service, path, { headers: { ...harbour, accept } })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const inJson = marked(leavesOf((await ask('application/json')).json()))
  const inXml = marked(textsOf(parseXml((await ask('application/xml')).text)))
  assert.ok(inJson.length > 5, path)
  assert.deepEqual(inXml, inJson)
  for (const text of inJson) assert.ok(isKnown(text), `${path}: ${text}`)
}

/** One record of RFC 4180 after the other. */
function cellsOf(csv: string): string[] {
  return [...csv.matchAll(/(?:^|,|\r\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
}

/** No cell is a formula, and each still has its original text. */
export async function checkCsv(admin: Browser, path: string, isKnown: (text: string) => boolean) {
  const { status, text } = await admin.get(path)
  assert.equal(status, 200, text)
  const cells = cellsOf(text.replace(/^\uFEFF/, ''))
  const theirs = marked(cells)
  assert.ok(theirs.length > 20)
  assert.ok(
    theirs.some(cell => cell.startsWith("'=")),
    'there was a formula among them',
  )
  for (const cell of cells) assert.doesNotMatch(cell, /^[=+\-@\t\r]/)
  for (const cell of theirs) assert.ok(isKnown(cell.replace(/^'/, '')), cell)
}
