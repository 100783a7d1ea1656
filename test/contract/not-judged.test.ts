import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import { scanColumns } from '../../src/schema/scan-columns.ts'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { harbour } from '../harness/http.ts'
import { harbourId } from '../harness/intake.ts'
import { Browser } from '../harness/oauth.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { listing, listPath } from './reading.ts'
import { watched } from './version2.ts'

/** A scanner that is configured and unavailable: only the test sets verdicts. */
const scanner = { CLAMD_URL: 'tcp://127.0.0.1:9' }

function suite(name: string, env: Record<string, string>, isHeld: boolean): void {
  inDemoWorldInTurn(name, { env }, world => {
    const get = (path: string, extra: Record<string, string> = {}) =>
      watched(world().door).send('GET', path, { headers: { ...harbour, ...extra } })
    let id: number
    before(async () => {
      const { services } = world()
      const file = await uploaded(services, { type: 'resume', scan: 'not-judged' }, 'a bomb')
      id = (await services.submissions.add(harbourId, plainDraft({ files: [file] }))).id
    })

    test('version 1 lists it without a verdict', async () => {
      const list = listing(await get(`${listPath}?afterid=${id - 1}&beforeid=${id + 1}`))
      assert.equal(list.JobApplicationsList[0]?.Attachments[0]?.HasVirus, null)
    })

    test(isHeld ? 'a download says that it will never come' : 'it is delivered', async () => {
      for (const extra of [{}, { range: 'bytes=0-1' }, { 'if-none-match': '*' }]) {
        const answer = await get(`${listPath}/resume/${id}`, extra)
        if (isHeld) {
          const told = [answer.status, answer.json().code, answer.headers.get('retry-after')]
          assert.deepEqual(told, [403, 'file-not-judged', null])
        } else assert.ok(answer.status < 400, answer.text)
      }
    })

    test('a later verdict counts', async () => {
      await world().services.applications.recordVerdict(harbourId, id, 'resume', 'clean')
      const answer = await get(`${listPath}/resume/${id}`)
      assert.deepEqual([answer.status, answer.text], [200, 'a bomb'])
    })
  })
}

suite('a file that the scanner will not judge', scanner, true)
suite('the same with UNSCANNED=deliver', { ...scanner, UNSCANNED: 'deliver' }, false)
suite('the same without a scanner', {}, false)

inDemoWorld('to candidates', { env: scanner, on: ['sqlite'] }, world => {
  test('a resume that cannot be checked says so, and what to do', async () => {
    await world()
      .services.database.writer.updateTable('resumes')
      .set(scanColumns('not-judged'))
      .where('candidate_id', '=', maryId)
      .execute()
    const mary = await Browser.signedIn(world().door)
    const words = await mary.words('/account/resumes')
    assert.match(words, /be checked .*be checked for viruses, so we .* share it with other websites/)
  })
})
