import assert from 'node:assert/strict'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { maryId } from '../../src/demo/world/world.ts'
import { engines } from '../harness/database.ts'
import { formTo } from '../harness/html-form.ts'
import { Browser, tom } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import {
  databaseFor,
  folderFor,
  refusalHere,
  runHere,
  serveHereFor,
  serveOnceHere,
} from '../process/support.ts'
import { grantedToken, prefilled } from './version2.ts'

const lists = fileURLToPath(new URL('lists', import.meta.url))
const about = '/account/profile/about'

inDemoWorldInTurn('own lists', { env: { LISTS_DIR: lists, BOARD_COUNTRY: 'DE' } }, world => {
  const signedIn = (email?: string) => Browser.signedIn(world().door, email)
  const save = async (browser: Browser, fields: Record<string, string>) => {
    const { text } = await browser.get(about)
    return browser.submit(formTo(about, text), { fields })
  }
  const newcastle = { id: '1017', description: 'Newcastle, Maitland and Hunter NSW' }

  test('an entry that is gone stays in the profile, in its form, and in version 2', async () => {
    const mary = await signedIn()
    const { text } = await mary.get(about)
    assert.match(text, /<option value="1017" selected>Newcastle, Maitland and Hunter NSW/)
    assert.doesNotMatch(text, /Sydney/)
    assert.equal((await save(mary, { phone: '0491 570 006' })).status, 303)
    const { profile } = await world().services.profiles.find(maryId)
    assert.deepEqual(profile.currentLocation, newcastle)
    const token = await grantedToken(world().door, { browser: mary })
    const { applicantInfo } = await prefilled(world().door, token)
    assert.deepEqual(applicantInfo['currentLocation'], newcastle)
  })

  test('candidates choose entries of the own lists, and only those', async () => {
    const toms = await signedIn(tom)
    const { text } = await toms.get(about)
    assert.match(text, /<option value="de-be" *>Berlin<option value="de-be-mitte" *>\u00A0+Berlin-Mitte</)
    for (const id of ['1017', '1000', '__proto__', 'de-be '])
      assert.equal((await save(toms, { location: id })).status, 422, id)
    assert.equal((await save(toms, { location: 'de-be-mitte', qualification: '3' })).status, 303)
    const { applicantInfo } = await prefilled(
      world().door,
      await grantedToken(world().door, { browser: toms }),
    )
    assert.deepEqual(applicantInfo['currentLocation'], { id: 'de-be-mitte', description: 'Berlin-Mitte' })
    assert.deepEqual(applicantInfo['highestQualification'], { id: '3', description: 'Certificate III' })
  })

  test('the country of the board comes first, and is chosen once', async () => {
    const toms = await signedIn(tom)
    const path = '/account/profile/country'
    const { text } = await toms.get(path)
    assert.match(text, /<option value="">[^<]+<option value="DE" selected>Germany<option value="AF"/)
    assert.equal((await toms.submit(formTo(path, text), { fields: { salary: '52 000 €' } })).status, 303)
    assert.match((await toms.get(path)).text, /<option value="DE" *>Germany<option value="AF"/)
  })
})

for (const engine of engines)
  test(`an ID that is reused ends a start, and doctor says so [${engine}]`, async t => {
    const database = await databaseFor(t, engine)
    await runHere(['migrate'], database.settings)
    const folder = await folderFor(t)
    await cp(lists, folder, { recursive: true })
    const settings = { ...database.settings, LISTS_DIR: folder }
    await serveOnceHere(settings)
    assert.match(
      (await runHere(['doctor'], settings)).stdout,
      /lists +locations are yours \(2, [0-9a-f]{8}\), /,
    )
    await writeFile(join(folder, 'locations.json'), '[{"id": "de-be", "name": "Bern"}]')
    const line = /locations\.json: entry 1 \(ID "de-be"\): this ID means "Berlin" and must not be reused/
    assert.match(await refusalHere(settings), /^dossier: wrong setting LISTS_DIR: locations\.json: entry 1 /)
    const doctor = await runHere(['doctor'], settings)
    assert.equal(doctor.code, 1)
    assert.match(doctor.stdout, line)
    // Another node goes on with the former list.
    const serving = await serveHereFor(t, database, { env: { LISTS_DIR: lists } })
    await serving.stop()
  })
