import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import { createTestDatabase, engines, open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { startNode } from '../harness/process.ts'
import { seeded } from '../harness/random.ts'

const random = seeded()

const script = fileURLToPath(new URL('./mail-writer.ts', import.meta.url))
const cycles = times(1, 20)
const minute = 60_000

for (const engine of engines) {
  test(`a process that sends emails is killed ${cycles} times: none is lost, and a repeated one has the same Message-ID [${engine}]`, async t => {
    const database = await createTestDatabase(engine, 'empty')
    const server = await startMailServer()
    const settings = { ...database.settings, SMTP_URL: server.url }
    // Claims of the killed processes have expired by then, and the links have not.
    const afterwards = await open(settings, () => Date.now() + 10 * minute)
    t.after(async () => {
      await afterwards.close()
      await server.stop()
      await database.remove()
    })
    await afterwards.schema.migrate()

    const acknowledged: string[] = []
    for (let cycle = 0; cycle < cycles; cycle++) {
      const running = startNode(script, [`c${cycle}`, '4'], settings)
      const count = randomInt(1, 20)
      try {
        await running.until(stdout => (stdout.split('\n').length > count ? true : undefined))
        // Anywhere between asking, sending and recording.
        await sleep(random() * 20)
      } finally {
        running.child.kill('SIGKILL')
      }
      const { stdout } = await running.finished
      acknowledged.push(
        ...stdout
          .slice(0, stdout.lastIndexOf('\n') + 1)
          .split('\n')
          .filter(Boolean),
      )
    }
    while (Object.keys((await afterwards.deliveries.run()).did).length > 0);

    const received = Map.groupBy(server.everything, ({ to }) => to[0] ?? '')
    assert.deepEqual(
      acknowledged.filter(email => !received.has(email)),
      [],
    )
    let repeated = 0
    for (const [email, mails] of received) {
      const ids = new Set(mails.map(({ text }) => /^Message-ID: (.+)\r$/m.exec(text)?.[1]))
      assert.equal(ids.size, 1, email)
      if (mails.length > 1) repeated += 1
      // Whichever of them a mailbox keeps, its link works.
      for (const { text } of mails) {
        const [, token = ''] = /#(dli_[\w-]+)/.exec(text.replaceAll('=\r\n', '')) ?? []
        const link = await afterwards.accountStore.findLink(hashSecret(token), 'reset', Date.now())
        assert.equal(link?.email, email)
      }
    }
    const { waiting } = await afterwards.deliveries.counts()
    assert.equal(waiting, 0)
    t.diagnostic(`${acknowledged.length} acknowledged, ${repeated} sent twice`)
  })
}
