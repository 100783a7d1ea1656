import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { sqliteFile } from '../../src/assembly/adapters.ts'
import { openBackupPlace } from '../../src/assembly/backup.ts'
import { openRestore } from '../../src/assembly/restore.ts'
import { harbourId } from '../../src/demo/world/world.ts'
import { allResults } from '../../src/operator/checks/all-checks.ts'
import { BackupRefused } from '../../src/platform/backup/faults.ts'
import { findSets } from '../../src/platform/backup/sets-service.ts'
import { readConfig } from '../../src/settings.ts'
import { startHere } from '../harness/command.ts'
import { createTestDatabase, open } from '../harness/database.ts'
import { isLongRun, times } from '../harness/effort.ts'
import { formTo } from '../harness/html-form.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { Browser, demoPassword, doorOf, mary, tom } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { mailTo } from '../harness/outbox.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import { databaseFor, serveHereFor } from '../process/support.ts'
import { createRepository } from './repository.ts'

type Settings = Record<string, string>
const owner = { advertiserId: harbourId }
const keyOf = (letter: string) => Buffer.alloc(32, letter).toString('base64')

async function command(args: string[], settings: Settings, expected = 0): Promise<string> {
  const { code, stdout, stderr } = await startHere(args, settings).finished
  assert.equal(code, expected, `${stdout}${stderr}`)
  return stdout + stderr
}

/** The demo with an endpoint and two apps, backed up; and an empty place on another machine to restore it to. */
async function machineGone(
  t: TestContext,
  engine: 'sqlite' | 'postgres',
  kind: 'folder' | 's3',
  more: Settings = {},
) {
  const database = await databaseFor(t, engine, 'demo')
  const settings = { ...database.settings, ...toReceiver, ...more }
  const repository = await createRepository(kind)
  t.after(repository.remove)
  const receiver = await startReceiver()
  t.after(receiver.stop)
  const services = await open(settings)
  const enrol = async (email: string) => {
    const signedIn = await services.accounts.signIn({
      email,
      password: demoPassword,
      address: '192.0.2.1',
      browser: undefined,
      userAgent: undefined,
      formerSession: undefined,
      securityMail: () => [],
    })
    assert.ok(signedIn.outcome === 'signed-in')
    const session = (await services.accounts.findSession(signedIn.session)) ?? assert.fail()
    const { secret } = await services.factors.beginTotp(session)
    const code = codeByOathtool(secret, services.clock())
    const added = await services.factors.addTotp(session, { secret, code }, [])
    return { secret, codes: added.outcome === 'added' ? (added.codes ?? []) : [] }
  }
  const apps = { mary: await enrol(mary), tom: await enrol(tom) }
  const fields = { url: receiver.urlOf('/hook'), types: ['application.created'], description: '' }
  const { endpoint } = await services.webhooks.add(owner, { ...fields, scheme: 'v1' })
  await services.webhooks.test(owner, endpoint.id)
  await services.close()
  await command(['backup', '--to', repository.address], settings)
  const target = await createTestDatabase(engine, 'empty')
  t.after(target.remove)
  const changed = engine === 'sqlite' ? {} : { SECRETS_KEY: keyOf('n') }
  return {
    apps,
    endpointId: endpoint.id,
    from: ['--from', repository.address],
    folder: repository.address,
    target: { engine, settings: { ...target.settings, ...changed, ...toReceiver } as Settings },
  }
}

const machines = [
  ['sqlite', 'folder'],
  ['postgres', 's3'],
  ['sqlite', 's3'],
  ['postgres', 'folder'],
] as const

for (const [engine, kind] of machines.slice(0, times(1, machines.length)))
  test(`the machine is gone, and a set in ${kind} is all that is left [${engine}]`, async t => {
    const { apps, endpointId, from, target } = await machineGone(t, engine, kind)
    const { settings } = target
    const restored = await command(['restore', ...from], settings)
    assert.match(restored, /The key of 1 webhook endpoint is not here: put webhook.key into DATA_DIR/)
    assert.match(restored, /The key of 2 authenticator apps is not here: put secrets.key into DATA_DIR/)
    assert.match(await command(['doctor'], settings, 1), /webhooks +are not sent: WEBHOOK_KEY is not the one/)

    const serving = await serveHereFor(t, target, { args: ['--demo'] })
    assert.match(serving.log(), /1 webhook endpoint paused, because WEBHOOK_KEY/)
    assert.match(serving.log(), /2 authenticator apps cannot be read, because SECRETS_KEY/)
    const report = await command(['doctor'], settings, 1)
    assert.match(report, /webhooks +1 paused because their key is lost: their owners make new secrets/)
    assert.match(
      report,
      /sign-in +2 authenticator apps cannot be used.* or their owners sign in with a recovery/,
    )

    const services = await open(settings)
    t.after(() => services.close())
    // What the operator's home page shows.
    const results = await allResults(services.opened, readConfig(settings), 'quick')
    const advice = new Map(results.filter(({ isFine }) => !isFine).map(({ what, says }) => [what, says]))
    assert.match(advice.get('webhooks') ?? '', /^1 paused because their key is lost: their owners make new/)
    assert.match(
      advice.get('sign-in') ?? '',
      /^2 authenticator apps cannot be used.* sign in with a recovery/,
    )
    const endpoint = await services.webhooks.find(owner, endpointId)
    assert.deepEqual([endpoint.state, endpoint.stopReason], ['paused', 'key-lost'])
    for (const act of ['resume', 'test'] as const)
      await assert.rejects(services.webhooks[act](owner, endpointId), problem =>
        /"code":"key-lost"/.test(JSON.stringify((problem as { errors: unknown }).errors)),
      )
    const { endpoint: rotated } = await services.webhooks.rotate(owner, endpointId)
    assert.deepEqual([rotated.stopReason, rotated.overlapUntil], [null, null])
    assert.equal((await services.webhooks.resume(owner, endpointId)).state, 'active')
    assert.equal((await services.webhooks.test(owner, endpointId)).result.outcome, 'accepted')

    const door = doorOf(serving)
    const [recovering, resetting] = [new Browser(door), new Browser(door)]
    const second = await recovering.submitSignIn(await recovering.get('/sign-in'), mary)
    assert.match(second.text, /Codes from your authenticator app no longer work/)
    const code = (typed: string) =>
      recovering.submit(formTo('/sign-in/code', second.text), { fields: { code: typed } })
    const wrong = await code(codeByOathtool(apps.mary.secret, Date.now()))
    assert.deepEqual([wrong.status, /This recovery code is wrong/.test(wrong.text)], [401, true])
    assert.equal((await code(apps.mary.codes[0] ?? '')).status, 303)
    assert.match(
      (await recovering.get('/account/security/two-step')).text,
      /Remove the app, then set it up again/,
    )

    const forgotten = await resetting.form('/forgotten')
    await resetting.submit(forgotten, { fields: { email: tom } })
    const { path } = await mailTo(door, tom)
    const password = 'a new password of some length'
    const reset = await resetting.form('/reset', path)
    assert.equal((await resetting.submit(reset, { fields: { password } })).status, 303)
    // Without a second step: the app is gone.
    await resetting.signIn(tom, password)
    assert.notEqual(password, demoPassword)
    await serving.stop()
  })

test('a key file without a key is named, and a key that is gone without a restore is lost on one machine', async t => {
  const { target, from } = await machineGone(t, 'sqlite', 'folder')
  const { settings } = target
  await command(['restore', ...from], settings)
  const path = join(settings['DATA_DIR'] ?? '', 'webhook.key')
  await writeFile(path, 'nothing\n')
  assert.match(await command(['doctor'], settings, 1), /keys +\S+webhook.key must be 32 bytes in base64/)
  assert.match(await command(['serve', '--demo'], settings, 4), /webhook.key must be 32 bytes in base64/)
  await rm(path)
  const services = await open(settings)
  t.after(() => services.close())
  // As after a restore that an earlier start has settled: only the file tells.
  await services.database.writer.deleteFrom('meta').where('key', '=', 'keys-unproven').execute()
  assert.match((await services.reconcileKeys()).join(), /1 webhook endpoint paused.*2 authenticator apps/)
  assert.ok(existsSync(path))
  assert.deepEqual(await services.reconcileKeys(), [])
})

test('a start without the settings that held the keys is an objection, and loses nothing', async t => {
  const keys = { WEBHOOK_KEY: keyOf('w'), SECRETS_KEY: keyOf('s') }
  const { target, from, endpointId } = await machineGone(t, 'sqlite', 'folder', keys)
  await command(['restore', ...from], { ...target.settings, ...keys })
  const started = async (settings: Settings) => {
    const services = await open(settings)
    t.after(() => services.close())
    assert.deepEqual(await services.reconcileKeys(), [])
    return services
  }
  await started({ ...target.settings, ...keys })
  const without = await started(target.settings)
  assert.match((await without.webhookObjection()) ?? '', /WEBHOOK_KEY is not the one/)
  const again = await started({ ...target.settings, ...keys })
  assert.equal(await again.webhookObjection(), undefined)
  assert.equal((await again.webhooks.find(owner, endpointId)).state, 'active')
})

const inLongRun = isLongRun ? test : () => {}
inLongRun(
  'on several machines a wrong key is an objection until an operator declares the right one lost',
  async t => {
    const { target, from } = await machineGone(t, 'postgres', 'folder')
    await command(['restore', ...from], target.settings)
    const services = await open(target.settings)
    t.after(() => services.close())
    await services.database.writer.deleteFrom('meta').where('key', '=', 'keys-unproven').execute()
    assert.deepEqual(await services.reconcileKeys(), [])
    assert.match((await services.webhookObjection()) ?? '', /WEBHOOK_KEY is not the one/)
    const { candidateId = '' } = (await services.accountStore.findByEmail(mary)) ?? {}
    await assert.rejects(services.factors.checkTotp(candidateId, '123456'), { code: 'unavailable' })
    assert.match(await command(['restored', '--keys'], target.settings), /1 webhook endpoint paused/)
    assert.equal(await services.webhookObjection(), undefined)
    assert.equal(await services.factors.checkTotp(candidateId, '123456'), undefined)
    assert.match(
      await command(['restored', '--keys'], target.settings),
      /No key is missing|2 authenticator apps/,
    )
  },
)

for (const engine of oneEngine)
  test(`with BACKUP_PASSPHRASE the keys are in the set, and only the passphrase opens them [${engine}]`, async t => {
    const passphrase = { BACKUP_PASSPHRASE: 'correct horse battery' }
    const { apps, target, from, folder } = await machineGone(t, engine, 'folder', passphrase)
    const { settings } = target
    const restore = ['restore', ...from]
    const [set = ''] = await readdir(join(folder, 'sets'))
    const sealed = await readFile(join(folder, 'sets', set, 'keys.json'), 'utf8')
    assert.deepEqual(Object.keys(JSON.parse(sealed)), ['format', 'salt', 'nonce', 'tag', 'sealed'])
    const wrong = { ...settings, BACKUP_PASSPHRASE: 'another passphrase' }
    assert.match(await command(restore, wrong, 1), /it is not the passphrase that they were encrypted with/)
    const restored = await command(restore, { ...settings, ...passphrase })
    assert.match(restored, /Restored \S+webhook.key\./)
    const more: Settings = {}
    if (engine === 'postgres') {
      const path = /Restored (\S+secrets.key): set SECRETS_KEY_FILE/.exec(restored)?.[1] ?? ''
      more['SECRETS_KEY'] = (await readFile(path, 'utf8')).trim()
    }
    const services = await open({ ...settings, ...more })
    t.after(() => services.close())
    assert.deepEqual(await services.reconcileKeys(), [])
    assert.equal(await services.webhookObjection(), undefined)
    const { candidateId = '' } = (await services.accountStore.findByEmail(mary)) ?? {}
    const code = codeByOathtool(apps.mary.secret, services.clock())
    assert.equal((await services.factors.checkTotp(candidateId, code))?.by, 'totp')
    assert.match(await command([...restore, '--replace'], settings, 1), /A process uses this database/)
  })

test('a restore that is refused at its end leaves the keys of the machine as they were', async t => {
  const passphrase = { BACKUP_PASSPHRASE: 'correct horse battery' }
  const { target, folder } = await machineGone(t, 'sqlite', 'folder', passphrase)
  const dataDir = target.settings['DATA_DIR'] ?? ''
  const own = join(dataDir, 'webhook.key')
  await writeFile(own, `${keyOf('o')}\n`)
  await (await open(target.settings)).close()
  const names = await readdir(dataDir)
  const config = readConfig({ ...target.settings, ...passphrase })
  const place = await openBackupPlace(config, { folder })
  const [found] = await findSets(place)
  assert.ok(found)
  const restoring = await openRestore(config, pino({ enabled: false }))
  let other: DatabaseSync | undefined
  t.after(() => other?.close())
  // A process begins to use the database while the set is unpacked.
  const onProgress = () => {
    if (other !== undefined) return
    other = new DatabaseSync(sqliteFile(config))
    other.exec('begin; select * from sqlite_schema')
  }
  const { signal } = new AbortController()
  const run = restoring.run({ place, found, isReplacing: false, signal, onProgress })
  await assert.rejects(run, BackupRefused)
  restoring.close()
  assert.equal(await readFile(own, 'utf8'), `${keyOf('o')}\n`)
  const left = (await readdir(dataDir)).filter(name => name.includes('.key') && !names.includes(name))
  assert.deepEqual(left, [])
})
