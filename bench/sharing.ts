import type { RegisteredClient } from './authorization-server.ts'
import type { Cleanup } from './cleanup.ts'
import { measureFullFlow, measureTokenExchange, type Pair } from './measure-authorization.ts'
import { measureBearerCheck } from './measure-bearer.ts'
import { measurePrefill, type SharingSubject } from './measure-prefill.ts'
import { openOidcWorld } from './oidc-world.ts'
import type { Report } from './report.ts'
import type { Place } from './row-writer.ts'
import { startOidcProvider } from './service.ts'
import { asAuthorizationServer, openSharingWorld } from './sharing-world.ts'
import type { Subject } from './subject.ts'

/** What candidates share with clients: codes, tokens, prefills. `places` is where oidc-provider keeps its own. */
export async function measureSharing(
  run: { report: Report; cleanup: Cleanup; folder: string },
  subjects: readonly Subject[],
  places: readonly Place[],
): Promise<void> {
  const { report, cleanup } = run
  report.say('making candidates with sessions and consents, for dossier and for oidc-provider')
  const pairs: Pair[] = []
  const shared: SharingSubject[] = []
  for (const [index, subject] of subjects.entries()) {
    const sharing = await cleanup.own(openSharingWorld(subject), world => world.writer.close())
    shared.push({ subject, sharing })
    const ours = asAuthorizationServer(subject, sharing)
    const theirs = await startTheirs(run, subject, places[index] as Place, sharing.client)
    pairs.push({ label: subject.label, ours, theirs })
  }
  await measureTokenExchange(report, pairs)
  await measureFullFlow(report, pairs)
  await measurePrefill(report, shared)
  for (const one of shared) await measureBearerCheck(report, one)
}

async function startTheirs(
  { cleanup, folder }: { cleanup: Cleanup; folder: string },
  { label, databasePid }: Subject,
  place: Place,
  client: RegisteredClient,
) {
  const process = await cleanup.own(startOidcProvider(folder, place, client), server => server.stop())
  const server = { name: `oidc-provider, ${label}`, process, databasePid }
  const world = await cleanup.own(openOidcWorld(place, client, server), opened => opened.close())
  return world.server
}
