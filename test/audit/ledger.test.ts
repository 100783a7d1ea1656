import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Command } from 'commander'
import type { RouteOptions } from 'fastify'
import { createProgram } from '../../src/assembly/commands/program.ts'
import { harbourId } from '../../src/demo/world/world.ts'
import { auditActions } from '../../src/model/audit-acts.ts'
import { accountKey } from '../../src/people/account/sign-in-delay.ts'
import type { AuditAction } from '../../src/platform/audit/acts.ts'
import { withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { runHere } from '../harness/command.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { isLongRun } from '../harness/effort.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { everyRow } from '../harness/person.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import type { Services } from '../harness/services.ts'
import { walkCommands } from './command-walk.ts'
import { commandLedger, elsewhere, type Ledger, routeLedger, taskLedger } from './ledger.ts'
import {
  type Scene,
  walkAsAgent,
  walkAsCompany,
  walkAsOperator,
  walkAsPerson,
  walkAsProgram,
  walkWithParts,
} from './page-walk.ts'
import { linkIn, mark, newAddress, openStage, type Stage, type Walker } from './walk.ts'

for (const engine of oneEngine) {
  describe(`the ledger of the audit log [${engine}]`, () => {
    let database: TestDatabase
    let settings: Record<string, string>
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let services: Services
    let stage: Stage
    /** The same, with a mail server and a scanner that do not answer. */
    let withParts: Stage
    let admin: Walker
    let leaver: Walker
    let scene: Scene & { operator: Walker; link: string }
    const seen: Record<'routes' | 'commands' | 'tasks', Record<string, string[]>> = {
      routes: {},
      commands: {},
      tasks: {},
    }

    before(async () => {
      database = await createTestDatabase(engine, 'demo')
      const backup = `${database.settings['DATA_DIR']}-backup`
      settings = { ...database.settings, ...toReceiver, BACKUP_URL: backup }
      receiver = await startReceiver()
      services = await open(settings)
      stage = await openStage(services, settings)
      settings = { ...settings, SMTP_URL: 'smtp://127.0.0.1:9', CLAMD_URL: 'tcp://127.0.0.1:9' }
      withParts = await openStage(await open(settings), settings, stage.requests)
    })
    after(async () => {
      for (const each of [withParts, stage]) {
        await each.services.background.whenIdle()
        await each.app.close()
        await each.services.close()
      }
      await receiver.stop()
      await database.remove()
      await rm(String(settings['BACKUP_URL']), { recursive: true, force: true })
    })

    const known = new Map<number, number>()
    /** The entries since the last call. */
    async function newEntries() {
      const rows = await services.database.writer
        .selectFrom('audit_entries')
        .selectAll()
        .orderBy('scope')
        .orderBy('number')
        .execute()
      const fresh = rows.filter(({ scope, number }) => number > (known.get(scope) ?? 0))
      for (const { scope, number } of fresh) known.set(scope, number)
      return fresh
    }
    const newActions = async () => (await newEntries()).map(({ action }) => action)

    /** Every line of the ledger that names actions has put exactly these on record. */
    function assertKept(ledger: Ledger, found: Record<string, string[]>): void {
      const wanted = Object.entries(ledger).flatMap(([name, line]) =>
        typeof line === 'string' || name in elsewhere ? [] : [[name, line.toSorted()]],
      )
      const actions = Object.entries(found)
        .filter(([, all]) => all.length > 0)
        .map(([name, all]) => [name, [...new Set(all)].toSorted()])
      assert.deepEqual(Object.fromEntries(actions), Object.fromEntries(wanted))
    }

    test('every route that writes, every command and every task is in the ledger', async () => {
      assert.deepEqual(writingRoutes(withParts.routes), Object.keys(routeLedger).toSorted())
      assert.deepEqual(commandsOf(createProgram(noContext)).toSorted(), Object.keys(commandLedger).toSorted())
      assert.deepEqual(withParts.services.work.tasks.toSorted(), Object.keys(taskLedger).toSorted())
    })

    test('every action is in the ledger', () => {
      const lines = [routeLedger, commandLedger, taskLedger].flatMap(ledger => Object.values(ledger))
      const named = new Set<string>(lines.flatMap(line => (typeof line === 'string' ? [] : line)))
      assert.deepEqual([...named, ...planned].toSorted(), Object.keys(auditActions).toSorted())
    })

    test('every route puts its acts on record, and no others', async () => {
      const url = receiver.urlOf('/hooks')
      scene = await walkAsOperator(stage)
      admin = await walkAsCompany(stage, scene, scene.link, url)
      await scene.operator.fill(`/operator/companies/${scene.advertiserId}/take-back`)
      const invited = await services
        .agentInvitations({ mailer: undefined, authUrl: () => 'http://localhost:8080' })
        .invite(scene.agentId, newAddress(), 'admin')
      await walkAsAgent(stage, scene, linkIn({ text: JSON.stringify(invited) }), url)
      await walkAsProgram(stage, scene, url)
      await walkWithParts(withParts, scene.operator)
      leaver = await walkAsPerson(withParts, scene)
      for (const each of [stage, withParts]) await each.services.background.whenIdle()
      for (const { request_id, action, actor_kind, actor_id } of await newEntries()) {
        // The operator has started it.
        if (actor_kind === 'task' && actor_id === 'backup') seen.tasks[actor_id] = [action]
        const route = request_id === null ? undefined : stage.requests.get(request_id)
        if (route !== undefined) seen.routes[route] = [...(seen.routes[route] ?? []), action]
      }
      assertKept(routeLedger, seen.routes)
    })

    test('a sign-in tells how many attempts failed before it', async () => {
      const starts = await services.database.reader
        .selectFrom('audit_entries')
        .select('after')
        .where('scope', '=', scene.advertiserId)
        .where('action', '=', 'session.start')
        .execute()
      assert.equal(starts.filter(({ after }) => after === '{"failures":1}').length, 1)
    })

    test('names are looked up when they are shown: a deleted account has none', async () => {
      const { text } = await admin.get(`/console/${scene.advertiserId}/audit`)
      assert.match(text, /A deleted account/)
      assert.ok(text.includes(admin.lastName))
      assert.ok(!text.includes(leaver.lastName))
      const board = await scene.operator.get('/operator/audit')
      assert.equal(board.status, 200)
      assert.ok(!board.text.includes(leaver.lastName))
    })

    test('every task puts its acts on record', async () => {
      const { writer } = services.database
      const now = services.clock()
      await services.background.whenIdle()
      await writer
        .insertInto('sign_in_failures')
        .values({ key: accountKey('rae@example.com'), failures: 7, last_failed_at: now })
        .execute()
      await withAuditContext(
        { clock: () => Date.UTC(2020, 1, 1), actor: { kind: 'task', id: 'test', proof: 'process' } },
        () => services.auditLog.record({ action: 'audit.export', scope: { ownerId: 9 }, target: 'audit:0' }),
      )
      const application_id = scene.applications[0] ?? 0
      await writer
        .insertInto('erasures')
        .values({ advertiser_id: scene.advertiserId, application_id, due_at: now - 1 })
        .execute()
      await newActions()
      for (const task of ['erasure', 'audit']) {
        const report = await services.work.run(task)
        assert.equal(report.outcome, 'done', JSON.stringify(report))
        seen.tasks[task] = await newActions()
      }
      assertKept(taskLedger, seen.tasks)
      await services.work.run('audit')
      assert.deepEqual(await newActions(), [], 'failed sign-ins are noted once')
    })

    if (isLongRun) {
      test('every command puts its acts on record', async () => {
        seen.commands = await walkCommands(stage, { ...settings, RECEIVER: receiver.urlOf('') }, newActions)
        assertKept(commandLedger, seen.commands)
      })
    }

    test('no name, address or text of anyone is in the log, and none in its export', async () => {
      const rows = (await everyRow(services)).filter(row => row.startsWith('audit_'))
      assert.ok(rows.length > 100)
      assert.deepEqual(
        rows.filter(row => row.toLowerCase().includes(mark)),
        [],
      )
      for (const format of ['ndjson', 'csv']) {
        const { stdout } = await runHere(['audit', 'export', '--format', format], settings)
        assert.ok(!stdout.toLowerCase().includes(mark))
      }
      const { stdout } = await runHere(['audit', 'verify'], settings)
      assert.match(stdout, /^The audit log is whole/m)
      assert.ok((await services.auditLog.list({ ownerId: harbourId }, {}, undefined, 1)).length > 0)
    })
  })
}

/** In the list of actions, and not built yet. */
const planned: AuditAction[] = []

const writingRoutes = (routes: readonly RouteOptions[]) =>
  routes
    .flatMap(({ method, url, config }) =>
      [method]
        .flat()
        .filter(verb => !['GET', 'HEAD'].includes(verb) || (config?.isAct === true && verb === 'GET'))
        .map(verb => `${verb} ${url}`),
    )
    .toSorted()

/** Those that do something: a group only lists its own. */
function commandsOf(command: Command, above = ''): string[] {
  return command.commands
    .filter(each => each.name() !== 'help')
    .flatMap(each => {
      const name = `${above}${each.name()}`
      const below = commandsOf(each, `${name} `)
      return below.length === 0 || isBoth.includes(name) ? [name, ...below] : below
    })
}
const isBoth = ['backup']

const noContext = {
  environment: {},
  user: '',
  isTerminal: false,
  print: () => {},
  complain: () => {},
  onRestartRequested: () => {},
  untilStopRequested: () => new Promise<string>(() => {}),
  openWorkers: () => assert.fail(),
}
