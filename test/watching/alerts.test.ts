import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { rows } from '../../scripts/dashboard.ts'
import { plainDraft } from '../harness/applications.ts'
import { open } from '../harness/database.ts'
import { findDaemon } from '../harness/debian.ts'
import { send } from '../harness/http.ts'
import { readText } from '../harness/repository.ts'
import { addTenant } from '../harness/tenant.ts'
import { databaseFor, folderFor, serveHereFor } from '../process/support.ts'

const rules = readText('deploy/prometheus/alerts.yml')
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
const expressions = Object.values(rows).flatMap(row => row.map(([, expression]) => expression))
const promtool = String(await findDaemon('promtool'))
const run = promisify(execFile)

test('every alert has a runbook, and there is no other', () => {
  const headings = [...readText('docs/operating/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  assert.ok(alerts.length >= 12)
  assert.deepEqual(headings, alerts)
})

test('applications without an answer are one number for all companies in /metrics, from the first count on', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const serving = await serveHereFor(t, database)
  const services = await open(database.settings)
  t.after(() => services.close())
  const numbers = async () => {
    const { text } = await send(serving.adminUrl, '/metrics', 'GET', {})
    return [...text.matchAll(/^dossier_applications_unanswered.*$/gm)].map(([line]) => line)
  }
  for (const [name, count] of [
    ['Harbour', 2],
    ['Southern', 1],
  ] as const) {
    const { advertiserId } = await addTenant(services, name)
    for (let sent = 0; sent < count; sent++) await services.submissions.add(advertiserId, plainDraft())
  }
  await services.database.writer.updateTable('applications').set({ submitted_at: 1 }).execute()
  assert.deepEqual(await numbers(), [])
  assert.equal((await services.work.run('unanswered')).outcome, 'done')
  assert.deepEqual(await numbers(), ['dossier_applications_unanswered 3'])
  await serving.stop()
})

test('every metric of the alerts and of the dashboard is in /metrics', async t => {
  const serving = await serveHereFor(t, await databaseFor(t, 'sqlite', 'empty'))
  const { text } = await send(serving.adminUrl, '/metrics', 'GET', {})
  const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name))
  const used = [...`${rules} ${expressions.join(' ')}`.matchAll(/\bdossier_\w+/g)].map(([name]) => name)
  assert.ok(used.length > 30)
  const missing = used.filter(
    name => !known.has(name) && !known.has(name.replace(/_(count|bucket|sum)$/, '')),
  )
  assert.deepEqual(missing, [])
  assert.match(text, /^dossier_build_info\{version="0\.1\.0",node="[\d.]+",database="sqlite"\} 1$/m)
  assert.match(text, /^dossier_database_wal_bytes \d+$/m)
  assert.match(text, /^dossier_erasure_overdue_seconds 0$/m)
  await serving.stop()
})

/** Series of one hour, and the alerts that they cause at its end. */
const scenes: Record<string, { series: Record<string, string>; firing: string[] }> = {
  'all is well': {
    series: {
      'up{job="dossier",instance="a"}': '1x60',
      'dossier_http_request_duration_seconds_count{status="200"}': '0+600x60',
      'dossier_http_request_duration_seconds_count{status="500"}': '0+1x60',
      'dossier_disk_free_bytes{instance="a"}': '5000000000x60',
      dossier_deliveries_oldest_waiting_seconds: '30x60',
      dossier_erasure_overdue_seconds: '0x60',
      dossier_removal_paused_seconds: '0x60',
      dossier_files_oldest_unjudged_seconds: '10x60',
      dossier_webhook_behind_seconds: '20x60',
      dossier_database_wal_bytes: '1000000x60',
      'dossier_database_pool_connections{pool="reader",state="waiting"}': '0 0 3 0x57',
      'dossier_work_last_success_timestamp_seconds{task="expiry"}': '0+60x60',
      // Runs every six hours.
      'dossier_work_last_success_timestamp_seconds{task="audit"}': '-20000x60',
      dossier_backup_last_success_timestamp_seconds: '0x60',
      'dossier_build_info{version="0.1.0"}': '1x60',
    },
    firing: [],
  },
  'a node is down': { series: { 'up{job="dossier",instance="a"}': '0x60' }, firing: ['DossierDown'] },
  'requests fail': {
    series: {
      'dossier_http_request_duration_seconds_count{status="200"}': '0+90x60',
      'dossier_http_request_duration_seconds_count{status="503"}': '0+10x60',
    },
    firing: ['DossierErrors'],
  },
  'requests are slow': {
    series: {
      'dossier_http_request_duration_seconds_bucket{route="/jobs",le="2.5"}': '0+90x60',
      'dossier_http_request_duration_seconds_bucket{route="/jobs",le="10"}': '0+100x60',
      'dossier_http_request_duration_seconds_bucket{route="/jobs",le="+Inf"}': '0+100x60',
    },
    firing: ['DossierSlow'],
  },
  'everything waits': {
    series: {
      'dossier_disk_free_bytes{instance="a"}': '1000000000x60',
      'dossier_database_pool_connections{pool="reader",state="waiting"}': '3x60',
      dossier_database_wal_bytes: '900000000x60',
      dossier_deliveries_oldest_waiting_seconds: '4000x60',
      dossier_files_oldest_unjudged_seconds: '4000x60',
      dossier_erasure_overdue_seconds: '90000x60',
      dossier_removal_paused_seconds: '4000x60',
      dossier_webhook_behind_seconds: '4000x60',
    },
    firing: [
      'DossierDiskNearlyFull',
      'DossierPoolExhausted',
      'DossierWalGrows',
      'DossierMailStuck',
      'DossierFilesUnjudged',
      'DossierErasureOverdue',
      'DossierRemovalPaused',
      'DossierWebhooksBehind',
    ],
  },
  'nothing was done for days': {
    series: {
      'dossier_work_last_success_timestamp_seconds{task="erasure"}': '-90000x60',
      dossier_backup_last_success_timestamp_seconds: '-200000x60',
    },
    firing: ['DossierWorkStopped', 'DossierBackupOld'],
  },
  'the heads of the audit log are not noted': {
    series: { 'dossier_work_last_success_timestamp_seconds{task="audit"}': '-50000x60' },
    firing: ['DossierWorkStopped'],
  },
}

describe('promtool', () => {
  test('accepts the alerts, and every expression of the dashboard', async t => {
    const folder = await folderFor(t)
    const recorded = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
    await writeFile(
      join(folder, 'panels.yml'),
      JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }),
    )
    for (const file of ['deploy/prometheus/alerts.yml', join(folder, 'panels.yml')])
      await run(promtool, ['check', 'rules', file])
  })

  test('finds that each alert fires when it should, and none when all is well', async t => {
    const folder = await folderFor(t)
    await writeFile(join(folder, 'alerts.yml'), rules)
    const tests = Object.entries(scenes).map(([name, { series, firing }]) => ({
      name,
      interval: '1m',
      input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
      promql_expr_test: alerts.map(alert => ({
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
        eval_time: '59m',
        exp_samples: [{ labels: '{}', value: firing.includes(alert) ? 1 : 0 }],
      })),
    }))
    await writeFile(
      join(folder, 'tests.yml'),
      JSON.stringify({ rule_files: ['alerts.yml'], evaluation_interval: '1m', tests }),
    )
    const { stdout } = await run(promtool, ['test', 'rules', join(folder, 'tests.yml')]).catch(error => {
      throw new Error(String(error.stdout) + String(error.stderr))
    })
    assert.match(stdout, /SUCCESS/)
    const shown = Object.values(scenes).flatMap(({ firing }) => firing)
    // Two hours of two releases are the only thing that one hour cannot show.
    assert.deepEqual(
      alerts.filter(alert => !shown.includes(alert)),
      ['DossierReleasesDiffer'],
    )
  })
})
