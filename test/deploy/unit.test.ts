import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultLimits } from '../../src/settings-limits.ts'
// The long run installs systemd.
import '../harness/effort.ts'
import { readText, root } from '../harness/repository.ts'

const shipped = readText('deploy/dossier.service')
const analyze = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  return { status, said: stdout + stderr }
}

test('systemd takes the shipped unit without a complaint, and rates its exposure 2.0 or better', t => {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-unit-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const unit = join(folder, 'dossier.service')
  writeFileSync(unit, shipped.replaceAll('/opt/dossier/', root))
  assert.deepEqual(analyze('verify', '--man=no', unit), { status: 0, said: '' })
  const { status, said } = analyze('security', '--offline=true', '--threshold=20', unit)
  assert.equal(status, 0, said)
  assert.match(said, /Overall exposure level for dossier\.service: [01]\.\d OK/)
})

test('systemd and Compose wait as long as a stop may take', () => {
  const seconds = defaultLimits.shutdownGraceSeconds + 5
  assert.match(shipped, new RegExp(`^TimeoutStopSec=${seconds}$`, 'm'))
  for (const file of ['compose.yaml', 'compose.scale.yaml'])
    assert.match(readText(`deploy/${file}`), new RegExp(`^ +stop_grace_period: ${seconds}s$`, 'm'))
})
