import { Dossier, DossierError, type ProgressResult } from '../../sdk/typescript/src/index.ts'

/** What the programs are given. */
export interface SurfaceSettings {
  url: string
  authUrl: string
  client: { id: string; secret: string }
  redirectUri: string
  key: string
}

const application = {
  advertiserId: 10000001,
  jobAdId: 32,
  jobSeekerId: 'user-4711',
  contact: { email: 'casey@example.com', firstName: 'Casey', lastName: 'Lim' },
}
const jobAd = {
  advertiserId: 10000001,
  title: 'Roaster',
  location: 'Newcastle NSW',
  description: 'Roast.',
  reference: 'SDK-1',
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof DossierError ? `${error.status} ${error.code}` : String(error)),
  )

/** Uses every call once. `visit` sends a candidate to an address, and returns the one they come back with. */
export async function useSurface(
  { url, authUrl, client, redirectUri, key }: SurfaceSettings,
  visit: (url: string) => Promise<string>,
) {
  const outcomeOf = (result: ProgressResult | ProgressResult<'prefill'> | undefined) =>
    result?.result === 'refused' ? `refused ${result.code}` : result?.result

  const own = new Dossier({ baseUrl: url, credential: 'sws_demo_harbour' })
  const ats = { id: 'demo-ats', secret: 'demo-ats-secret' }
  const agent = new Dossier({ baseUrl: url, client: ats, advertiserId: 10000001 })
  const board = new Dossier({ baseUrl: url, client: { id: 'demo-board', secret: 'demo-board-secret' } })
  const page = new Dossier({ baseUrl: url, authUrl, client })

  const ids: number[] = []
  for await (const { ID } of own.applications.list({ pageSize: 4 })) ids.push(ID)
  const few: number[] = []
  for await (const { ID } of agent.applications.list({ afterId: 2, beforeId: 6 })) few.push(ID)
  const { ID, FirstName, Email } = await own.applications.get(3)
  const fileOf = async (file: Promise<{ name: string; hash: string; size: number; isInfected: boolean }>) => {
    const { name, hash, size, isInfected } = await file
    return [name, hash, size, isInfected]
  }
  const { screen } = await agent.applications.screen(1)
  const { answers } = await agent.applications.answers(1)
  const advertisers: number[] = []
  for await (const { id } of agent.advertisers.list()) advertisers.push(id)

  const files = { resume: { name: 'résumé.txt', content: 'Ten years behind an espresso machine.\n' } }
  const sent = await board.intake.submit(application, files, { idempotencyKey: key })
  const again = await board.intake.submit(application, files, { idempotencyKey: key })
  const report = (applicationId: number, state: 'viewed' | 'inReview') => {
    const at = '2026-11-02T00:00:00Z'
    return { applicationId, state, at }
  }
  const many = Array.from({ length: 101 }, (_, index) => report(index < 100 ? sent.id : 99999999, 'viewed'))
  const reported = await own.progress.report([...many, report(sent.id, 'inReview')])
  const other = { ...application, jobSeekerId: 'user-4712' }
  const known = await board.intake.get(sent.id)
  const ad = await board.intake.jobAds.create(jobAd, { idempotencyKey: `${key}-ad` })
  const replaced = await board.intake.jobAds.replace(ad.id, { ...jobAd, title: 'Head roaster' })
  const closed = await board.intake.jobAds.close(10000001, ad.id)
  const open = await board.intake.jobAds.open(10000001, ad.id)
  const listed: string[] = []
  for await (const { title, id } of board.intake.jobAds.list(10000001, { reference: 'SDK-1' })) {
    if (id === ad.id) listed.push(title)
  }

  const begun = await page.sharing.begin({ redirectUri, advertiserId: 10000001 })
  const callback = await visit(begun.url)
  const forged = callback.replace(/state=[^&]*/, 'state=forged')
  const elsewhere = callback.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example')
  const refusals = [
    await codeOf(page.sharing.finish(forged, begun.pending)),
    await codeOf(page.sharing.finish(elsewhere, begun.pending)),
  ]
  const shared = await page.sharing.finish(callback, begun.pending)
  const wanted = { advertiserId: '10000001', applicationFormUrl: 'https://careers.example.com/apply/7' }
  const prefill = await shared.prefill(wanted)
  const resume = await shared.resume(prefill)
  await page.sharing.complete(prefill)
  const [prefilled] = await page.clientProgress.report([
    { prefilledApplicationId: prefill.id, state: 'interview', at: '2026-11-02T00:00:00Z' },
  ])

  return {
    ids,
    few,
    one: [ID, FirstName, Email],
    files: [
      await fileOf(own.applications.resume(1)),
      await fileOf(agent.applications.coverLetter(1)),
      await fileOf(own.applications.resume(8)),
    ],
    screen: screen['@id'],
    answers: answers.map(({ value }) => value).slice(2, 3),
    advertisers,
    progress: [
      reported.length,
      ...[reported[0], reported[99], reported[100], reported[101], prefilled].map(outcomeOf),
    ],
    intake: {
      isSame: sent.id === again.id && sent.id === known.id && sent.id > 0,
      replayed: [sent.wasReplayed, again.wasReplayed],
      fileName: sent.attachments[0]?.fileName,
    },
    ad: [ad.title, replaced.title, closed.status, open.status, ...listed],
    shared: [
      prefill.applicantInfo.emailAddress,
      resume?.bytes.subarray(0, 5).toString() === '37,80,68,70,45',
    ],
    errors: [
      await codeOf(own.applications.get(99999999)),
      await codeOf(own.applications.selectionCriteria(99999999)),
      await codeOf(new Dossier({ baseUrl: url, credential: 'sws_none' }).applications.get(1)),
      await codeOf(
        new Dossier({ baseUrl: url, client: { id: 'x', secret: 'y' }, advertiserId: 1 }).applications.get(1),
      ),
      await codeOf(board.applications.get(1)),
      await codeOf(own.advertisers.list().next()),
      await codeOf(own.intake.get(1)),
      await codeOf(agent.progress.report([report(sent.id, 'viewed')])),
      await codeOf(
        own.clientProgress.report([
          { prefilledApplicationId: prefill.id, state: 'viewed', at: '2026-11-02T00:00:00Z' },
        ]),
      ),
      await codeOf(board.intake.submit(other, {}, { idempotencyKey: key })),
      await codeOf(board.intake.submit({ ...application, contact: { ...application.contact, email: '' } })),
      await codeOf(own.events.follow({ cursor: 'nonsense' }).next()),
      ...refusals,
    ],
  }
}

export type Surface = Awaited<ReturnType<typeof useSurface>>
