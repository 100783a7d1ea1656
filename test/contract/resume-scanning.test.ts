import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import { bitsOf } from '../../src/model/categories.ts'
import { scanColumns } from '../../src/schema/scan-columns.ts'
import { secondMs, type World } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { assertProblem, getResume, grantedToken, type Prefilled, prefilled, resumePath } from './version2.ts'

type Scan = 'unscanned' | 'clean' | 'infected' | 'not-judged'

/** A scanner that is configured and unavailable: only the test sets verdicts. */
const scanner = { CLAMD_URL: 'tcp://127.0.0.1:9' }

/** The verdict on every resume of Mary's, as a scanner would write it. */
async function judge({ services }: World, scan: Scan): Promise<void> {
  await services.database.writer
    .updateTable('resumes')
    .set(scanColumns(scan))
    .where('candidate_id', '=', maryId)
    .execute()
}

const everythingBut = ['phone', 'location', 'qualification', 'workHistory', 'salary'] as const

function suite(name: string, env: Record<string, string>, isOffered: Record<Scan, boolean>): void {
  inDemoWorldInTurn(name, { env }, (world, { door }) => {
    let token: string
    let path: string

    before(async () => {
      await judge(world(), 'clean')
      token = await grantedToken(door)
      path = resumePath(await prefilled(door, token))
    })

    async function prefilledAs(scan: Scan): Promise<{ answer: Prefilled; categories: number | undefined }> {
      await judge(world(), scan)
      // Its disclosure is then the newest.
      world().clock.advance(secondMs)
      const answer = await prefilled(door, token)
      const [last] = await world().services.sharingHistory.disclosures(maryId, 1)
      return { answer, categories: last?.categories }
    }

    for (const scan of ['unscanned', 'clean', 'infected', 'not-judged'] as const) {
      test(`a resume that is ${scan} is ${isOffered[scan] ? '' : 'not '}offered, and so recorded`, async () => {
        const { answer, categories } = await prefilledAs(scan)
        assert.ok(answer.applicantInfo['phoneNumber'] !== null, 'the rest is not concerned')
        if (isOffered[scan]) assert.equal(resumePath(answer), path)
        else assert.equal(answer.resume, null)
        assert.equal(
          categories,
          bitsOf([...everythingBut, ...(isOffered[scan] ? (['resume'] as const) : [])]),
        )
      })
    }

    test('an earlier link follows the verdict', async () => {
      const count = async () => (await world().services.sharingHistory.disclosures(maryId, 1000)).length
      const statusAs = async (scan: Scan, headers: Record<string, string> = {}, method = 'GET') => {
        await judge(world(), scan)
        return getResume(door, token, path, headers, method)
      }
      for (const [headers, method] of [
        [{}, 'GET'],
        [{}, 'HEAD'],
        [{ range: 'bytes=0-1' }, 'GET'],
        [{ 'if-none-match': '*' }, 'GET'],
      ] as const) {
        const before = await count()
        const infected = await statusAs('infected', headers, method)
        assert.equal(infected.status, 404)
        if (method === 'GET') assertProblem(door, infected, 404, 'not-found')
        if (isOffered.unscanned) continue
        const unscanned = await statusAs('unscanned', headers, method)
        assert.equal(unscanned.status, 503)
        assert.equal(unscanned.headers.get('retry-after'), '30')
        if (method === 'GET') assertProblem(door, unscanned, 503, 'not-yet-scanned')
        const never = await statusAs('not-judged', headers, method)
        assert.deepEqual([never.status, never.headers.get('retry-after')], [403, null])
        if (method === 'GET') assertProblem(door, never, 403, 'file-not-judged')
        assert.equal(await count(), before, 'what was not handed out is not on record')
      }
      assert.equal((await statusAs('clean')).status, 200)
      if (isOffered.unscanned) assert.equal((await statusAs('unscanned')).status, 200)
    })
  })
}

const judgedOnly = { unscanned: false, 'not-judged': false, clean: true, infected: false }
suite('resumes with a scanner', scanner, judgedOnly)
// The setting is about version 1; files of a prefill have always been scanned where there is a scanner.
suite('resumes with a scanner and UNSCANNED=deliver', { ...scanner, UNSCANNED: 'deliver' }, judgedOnly)
suite('resumes without a scanner', {}, { ...judgedOnly, unscanned: true, 'not-judged': true })
