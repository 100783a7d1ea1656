/** A panel of the dashboard: its title, an expression of PromQL, the legend of each series, and Grafana's name of the unit. */
type Panel = readonly [title: string, expression: string, legend: string, unit: string]

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[5m]))`
const duration = 'dossier_http_request_duration_seconds'

export const rows: Readonly<Record<string, readonly Panel[]>> = {
  Requests: [
    ['Requests', rate(`${duration}_count`, 'status'), '{{status}}', 'reqps'],
    [
      'Duration, 99 of 100 within',
      `histogram_quantile(0.99, sum by (le) (rate(${duration}_bucket[5m])))`,
      'p99',
      's',
    ],
    ['Being served', 'sum by (instance) (dossier_http_requests_in_flight)', '{{instance}}', 'short'],
    ['Responses cut', rate('dossier_http_answers_cut_total', 'route'), '{{route}}', 'ops'],
  ],
  Processes: [
    [
      'Releases',
      'count by (version, node, database) (dossier_build_info)',
      '{{version}} {{database}}',
      'short',
    ],
    ['Memory', 'dossier_process_resident_memory_bytes', '{{instance}}', 'bytes'],
    ['Processor', 'rate(dossier_process_cpu_seconds_total[5m])', '{{instance}}', 'percentunit'],
    ['Event loop, 99 of 100 within', 'dossier_nodejs_eventloop_lag_p99_seconds', '{{instance}}', 's'],
  ],
  'Database and files': [
    ['Connections', 'dossier_database_pool_connections', '{{instance}} {{pool}} {{state}}', 'short'],
    ['Log of SQLite', 'dossier_database_wal_bytes', '{{instance}}', 'bytes'],
    ['Free on the disk', 'dossier_disk_free_bytes', '{{instance}}', 'bytes'],
    [
      'Calls to S3',
      rate('dossier_blob_call_duration_seconds_count', 'operation, outcome'),
      '{{operation}} {{outcome}}',
      'ops',
    ],
  ],
  Applications: [['Without an answer', 'max(dossier_applications_unanswered)', 'applications', 'short']],
  'Background work': [
    [
      'Since the last success',
      'time() - max by (task) (dossier_work_last_success_timestamp_seconds)',
      '{{task}}',
      's',
    ],
    ['Since the last backup', 'time() - max(dossier_backup_last_success_timestamp_seconds)', 'backup', 's'],
    ['Oldest file without a verdict', 'max(dossier_files_oldest_unjudged_seconds)', 'file', 's'],
    ['Overdue erasure', 'max(dossier_erasure_overdue_seconds)', 'erasure', 's'],
    ['Removal by age is paused for', 'max(dossier_removal_paused_seconds)', 'paused', 's'],
  ],
  'Emails, events, webhooks': [
    ['Oldest waiting email', 'max(dossier_deliveries_oldest_waiting_seconds)', 'email', 's'],
    ['Emails', 'max(dossier_deliveries_waiting) or max(dossier_deliveries_dead)', 'waiting', 'short'],
    ['Events written', rate('dossier_events_total', 'type'), '{{type}}', 'ops'],
    ['Oldest event that a receiver lacks', 'max(dossier_webhook_behind_seconds)', 'event', 's'],
  ],
}

/** For Grafana: "Dashboards", "Import". It asks for the data source. */
export function dashboard(): object {
  const [width, height] = [6, 8]
  const panels = Object.entries(rows).flatMap(([title, row], line) => [
    {
      type: 'row',
      title,
      gridPos: { x: 0, y: line * (height + 1), w: 24, h: 1 },
      collapsed: false,
      panels: [],
    },
    ...row.map(([name, expr, legendFormat, unit], column) => ({
      type: 'timeseries',
      title: name,
      gridPos: { x: column * width, y: line * (height + 1) + 1, w: width, h: height },
      datasource: { type: 'prometheus', uid: '$' + '{DS_PROMETHEUS}' },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: [{ refId: 'A', expr, legendFormat }],
    })),
  ])
  const numbered = panels.map((panel, index) => ({ id: index + 1, ...panel }))
  const input = { name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', pluginId: 'prometheus' }
  return {
    __inputs: [input],
    title: 'Dossier',
    uid: 'dossier',
    schemaVersion: 39,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    panels: numbered,
  }
}
