import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from '../harness/database.ts'
import { call } from '../harness/http.ts'
import { startServiceHere } from '../harness/service.ts'
import { logLines } from '../harness/serving.ts'
import { databaseFor, runHere } from './support.ts'

/** More than any disk has. */
const nearlyFull = { DISK_LEAST_MB: '999999999' }

for (const engine of engines) {
  test(`a nearly full disk is reported by readiness, log, metrics and doctor, and the service continues [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'demo')
    const service = await startServiceHere(database, { env: nearlyFull })
    for (let asked = 0; asked < 3; asked++) {
      const ready = await call(service, '/health/ready')
      assert.deepEqual([ready.status, ready.json()], [200, { status: 'ok', warnings: ['disk'] }])
    }
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
    const free = Number(/^dossier_disk_free_bytes (\S+)$/m.exec(metrics)?.[1])
    assert.ok(free > 0, metrics)
    await service.stop()
    const told = logLines(service.log()).filter(({ msg }) => msg.includes('nearly full'))
    assert.equal(told.length, 1)
    const { code, stdout } = await runHere(['doctor'], { ...database.settings, ...nearlyFull })
    assert.equal(code, 1)
    assert.match(stdout, /^WRONG {2}disk +\d+ MB are free on the disk of .*DISK_LEAST_MB.*make room$/m)
  })

  test(`a disk with enough space is not mentioned [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'demo')
    const env = { DISK_LEAST_MB: '1' }
    const service = await startServiceHere(database, { env })
    assert.deepEqual((await call(service, '/health/ready')).json(), { status: 'ok', warnings: [] })
    await service.stop()
    assert.doesNotMatch(service.log(), /disk/)
    assert.match(
      (await runHere(['doctor'], { ...database.settings, ...env })).stdout,
      /^ok {5}disk +\d+ MB are free/m,
    )
  })
}
