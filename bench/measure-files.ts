import { dirname, join } from 'node:path'
import { findDaemon } from '../test/harness/debian.ts'
import { startNginx } from '../test/harness/nginx.ts'
import type { Bench } from './bench.ts'
import { addAgainstFloor, addAgainstPeer, measure } from './comparison.ts'
import { asking, askOnce, drawnFrom, getRequest } from './load.ts'
import { type Contender, medianOf, type Round } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { asksFor, attachmentLengths, attachmentRequest, type Subject } from './subject.ts'

/** A little below the lowest ratio of the last runs, so that a loss shows. */
const streamTargets = { SQLite: 2.2, PostgreSQL: 1.4 }
const bytesPerMb = 1e6

/** An attachment of a megabyte against a bare read stream of the same file, and against nginx, which never reads it. */
export async function measureAttachments(
  bench: Bench,
  floor: ServerProcess,
  subjects: readonly Subject[],
): Promise<void> {
  const { report, pace } = bench
  const stream = plainContender('floor /attachment', floor.pid, floor.port, '/attachment')
  const nginx = await nginxContender(bench, subjects)
  const ours = subjects.map(subject =>
    asksFor(subject, 'attachment', [attachmentRequest(subject.world)], attachmentLengths),
  )
  const handedOver = nginx === undefined ? undefined : await handOverContender(bench, subjects)
  const contenders = [stream, ...ours, nginx, handedOver].filter(contender => contender !== undefined)
  const results = await measure(report, contenders, pace.warm)
  const roundsOf = (contender: Contender) => results[contenders.indexOf(contender)] ?? []
  for (const [index, { label }] of subjects.entries()) {
    const rounds = roundsOf(ours[index] as Contender)
    const name = `attachment of 1 MiB, ${label}`
    addAgainstPeer(report, `${name}, against a read stream`, rounds, roundsOf(stream), streamTargets[label])
    if (nginx !== undefined) {
      addAgainstFloor(report, `${name}, against nginx sendfile`, rounds, roundsOf(nginx), '036')
    }
    report.add({
      name: `${name}: bytes`,
      value: (medianOf(rounds, bytesPerSecond) ?? Number.NaN) / bytesPerMb,
      unit: 'MB/s',
      direction: 'min',
    })
  }
  if (nginx !== undefined && handedOver !== undefined) {
    const name = 'attachment of 1 MiB, SQLite, handed over to nginx, against nginx sendfile'
    addAgainstFloor(report, name, roundsOf(handedOver), roundsOf(nginx), '031')
  }
}

const bytesPerSecond = (round: Round) => round.bytesPerSecond

function plainContender(name: string, pid: number, port: number, path: string): Contender {
  return {
    name,
    serverPid: pid,
    load: asking(drawnFrom(port, [getRequest(path)], attachmentLengths)),
  }
}

/** nginx asks the service for permission, and sends the file itself. */
async function handOverContender(
  { cleanup, start }: Bench,
  [subject]: readonly Subject[],
): Promise<Contender> {
  if (subject === undefined) throw new Error('nothing to measure')
  const service = await start({ ...subject.settings, DOWNLOADS: 'nginx' })
  const folder = join(subject.settings['DATA_DIR'] ?? '', 'blobs')
  const nginx = await cleanup.own(
    startNginx(listen => downloadsBehindNginx(listen, service.port, folder)),
    server => server.stop(),
  )
  const request = attachmentRequest(subject.world)
  const [handed, served] = await Promise.all(
    [nginx.port, subject.service.port].map(port => askOnce(port, request, { keepBody: true })),
  )
  if (handed?.status !== 200 || served === undefined || !handed.body.equals(served.body)) {
    throw new Error(`a file that was handed over is not the file:\n${handed?.head}`)
  }
  return {
    name: `attachment handed over to nginx, ${subject.label}`,
    load: asking(drawnFrom(nginx.port, [request], attachmentLengths)),
    serverPid: nginx.pid,
    behindPid: service.pid,
  }
}

function downloadsBehindNginx(listen: string, port: number, folder: string): string {
  return `sendfile on; tcp_nopush on; keepalive_requests 1000000;
    upstream dossier { server 127.0.0.1:${port}; keepalive 16; }
    server {
      ${listen}
      location / {
        proxy_pass http://dossier;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header X-Sendfile-Type X-Accel-Redirect;
      }
      location /dossier-blobs/ { internal; alias ${folder}/; }
    }`
}

/** One worker, as the service is one process; the kernel sends the file. Undefined if nginx is not installed. */
async function nginxContender(
  { report, cleanup }: Bench,
  [subject]: readonly Subject[],
): Promise<Contender | undefined> {
  if ((await findDaemon('nginx')) === undefined) {
    report.say('nginx is not installed: attachments are not measured against it')
    return undefined
  }
  const path = subject?.world.attachment.path ?? ''
  const folder = dirname(path)
  const nginx = await cleanup.own(
    startNginx(
      listen => `sendfile on; tcp_nopush on; keepalive_requests 1000000;
        server { ${listen} location / { root ${folder}; } }`,
    ),
    server => server.stop(),
  )
  return plainContender('nginx sendfile', nginx.pid, nginx.port, path.slice(folder.length))
}
