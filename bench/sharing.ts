import type { RegisteredClient } from './authorization-server.ts'
import type { Bench } from './bench.ts'
import { measureFullFlow, measureTokenExchange, type Pair } from './measure-authorization.ts'
import { measureBearerCheck } from './measure-bearer.ts'
import { measurePrefill, type SharingSubject } from './measure-prefill.ts'
import { openOidcWorld } from './oidc-world.ts'
import type { Place } from './row-writer.ts'
import { asAuthorizationServer, openSharingWorld } from './sharing-world.ts'
import type { Subject } from './subject.ts'

/** Candidates on every database, with the service and with oidc-provider. */
export interface Sharing {
  pairs: Pair[]
  shared: SharingSubject[]
}

/** `places` are the databases of oidc-provider. */
export async function openSharing(
  bench: Bench,
  subjects: readonly Subject[],
  places: readonly Place[],
): Promise<Sharing> {
  const { report, cleanup } = bench
  report.say('making candidates with sessions and consents, for dossier and for oidc-provider')
  const sharing: Sharing = { pairs: [], shared: [] }
  for (const [index, subject] of subjects.entries()) {
    const world = await cleanup.own(openSharingWorld(subject), opened => opened.writer.close())
    const theirs = await startTheirs(bench, subject, places[index] as Place, world.client)
    sharing.shared.push({ subject, sharing: world })
    sharing.pairs.push({ label: subject.label, ours: asAuthorizationServer(subject, world), theirs })
  }
  return sharing
}

/** What candidates share with clients: codes, tokens, prefills. */
export async function measureSharing(bench: Bench, { pairs, shared }: Sharing): Promise<void> {
  await measureTokenExchange(bench, pairs)
  await measureFullFlow(bench, pairs)
  await measurePrefill(bench, shared)
  for (const one of shared) await measureBearerCheck(bench, one)
}

async function startTheirs(
  { cleanup, startScript }: Bench,
  { label, databasePid }: Subject,
  place: Place,
  client: RegisteredClient,
) {
  // Its framework does less in production mode.
  const args = [JSON.stringify(place), JSON.stringify(client)]
  const process = await startScript('oidc-provider-server', args, { NODE_ENV: 'production' })
  const server = { name: `oidc-provider, ${label}`, process, databasePid }
  const world = await cleanup.own(openOidcWorld(place, client, server), opened => opened.close())
  return world.server
}
