import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tomId } from '../../src/demo/world/world.ts'
import { addTotp } from '../harness/account.ts'
import { plainDraft } from '../harness/applications.ts'
import { putClockInDoubt } from '../harness/clock.ts'
import { runHere, startHere } from '../harness/command.ts'
import { importLine } from '../harness/import-lines.ts'
import { addMails } from './page-walk.ts'
import { contactOf, linkIn, mark, newAddress, type Stage, svg, Walker } from './walk.ts'

/** Runs commands and notes which actions each of them has put on record. */
export async function walkCommands(
  stage: Stage,
  settings: Record<string, string>,
  newActions: () => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const { services, door } = stage
  const { writer } = services.database
  const folder = settings['DATA_DIR'] ?? ''
  const file = (name: string) => join(folder, name)
  const seen: Record<string, string[]> = {}
  /** The name of the command, and its arguments; returns what it prints. */
  async function run(name: string, args: (string | number)[] = [], code = 0, more = {}): Promise<string> {
    await newActions()
    const finished = await startHere([...name.split(' '), ...args.map(String)], { ...settings, ...more })
      .finished
    assert.equal(finished.code, code, `${name}: ${finished.stdout}${finished.stderr}`)
    seen[name] = [...(seen[name] ?? []), ...(await newActions())]
    return finished.stdout
  }
  const json = async (name: string, ...args: (string | number)[]) =>
    JSON.parse(await run(name, [...args, '--json']))

  const { id: company } = await json('advertiser add', `Company ${mark}`)
  await run('advertiser second-factor', [company, 'required'])
  await run('advertiser second-factor', [company, 'optional'])
  await run('advertiser time-zone', [company, 'Europe/London'])
  await run('advertiser answer-days', [company, 30])
  await run('advertiser keep-months', [company, '9'])
  await run('advertiser tell-candidates', [company, 'nothing'])
  await run('advertiser reasons', [company, 'shown'])
  await run('advertiser privacy', [company, 'https://company.example/privacy'])
  await run('advertiser hold', [company])
  await run('advertiser activate', [company])
  await writeFile(file('logo.svg'), svg)
  const [joining, open] = [newAddress(), newAddress()]
  await new Walker(door).join(linkIn({ text: await run('advertiser invite', [company, joining]) }))
  await run('advertiser remove-person', [company, joining, '--force'])
  await run('advertiser invite', [company, open])
  await run('advertiser remove-person', [company, open])
  const { id: credential } = await json('credential issue', company)
  await run('credential revoke', [credential])

  const { id: agent } = await json('agent add', `Agent ${mark}`)
  await run('agent authorise', [agent, company])
  await new Walker(door).join(linkIn({ text: await run('agent invite', [agent, joining.replace('p', 'q')]) }))
  await run('agent remove-person', [agent, joining.replace('p', 'q'), '--force'])
  await run('agent invite', [agent, open])
  await run('agent remove-person', [agent, open])

  const client = 'commanded'
  const uri = `https://client.example/back`
  await run('client add', [
    client,
    '--name',
    `Client ${mark}`,
    '--redirect-uri',
    uri,
    '--scope',
    'w_applications',
    '--scope',
    'r_profile_apply',
    '--advertiser',
    company,
    '--agent',
    agent,
  ])
  await run('client forbid', [client, company])
  await run('client allow', [client, company])
  await run('client logo', [client, file('logo.svg')])
  await run('client redirect-uris', [client, `${uri}/other`])
  await run('client privacy', [client, `https://client.example/privacy`])
  await run('client rotate', [client])
  for (const end of ['client confirm', 'client refuse']) {
    await services.clientChanges.ask(
      client,
      { kind: 'privacy', url: `https://client.example/${end.length}` },
      tomId,
    )
    const [change] = await services.clientChanges.listOf(client)
    await run(end, [change?.id ?? ''])
  }
  await run('client disable', [client])
  await run('agent allow-progress', [agent, company])
  await run('agent end-progress', [agent, company])
  await run('agent withdraw', [agent, company])

  const [first, second] = await Promise.all(
    ['held', 'gone'].map(name => services.submissions.add(company, plainDraft({ contact: contactOf(name) }))),
  )
  await run('retention hold', [company, first?.id ?? 0, '--reason', mark])
  await run('retention release', [company, first?.id ?? 0])
  await run('application erase', [company, first?.id ?? 0])
  await run('retention set', [company, 3])
  await services.retention.choose(company, 2)
  await run('retention take-back', [company])
  const { id: adId } = await services.jobs.add(company, {
    title: mark,
    location: mark,
    description: mark,
    reference: null,
    screenId: null,
    closingDate: null,
  })
  const reportOf = async () => {
    const formKey = crypto.randomUUID()
    await services.reports.add(adId, { formKey, reason: 'fraud', details: mark, email: '' })
    return formKey
  }
  await run('job dismiss', [adId, await reportOf()])
  await reportOf()
  await run('job reports')
  await run('job versions', [company])
  await run('job hold', [adId, mark])
  await run('job held')
  await run('job release', [adId])
  await run('person find', [contactOf('gone').email, '--reason', 'request 8'])
  const account = { firstName: mark, lastName: mark, passwordHash: mark, profile: '{}', createdAt: 1 }
  const goneId = crypto.randomUUID()
  await services.accountStore.add({
    ...account,
    candidateId: goneId,
    email: contactOf('gone').email,
  })
  await addTotp({ writer }, goneId)
  await run('person reset-factor', [contactOf('gone').email, '--reason', 'request 8'])
  await run('person erase', [contactOf('gone').email, '--reason', 'request 8'])
  assert.ok(second)

  const hook = `${settings['RECEIVER']}/${mark}`
  const { id: endpoint } = await json(
    'webhook add',
    '--advertiser',
    company,
    hook,
    '--types',
    'application.created',
  )
  await writer.updateTable('webhook_endpoints').set({ state: 'new' }).where('id', '=', endpoint).execute()
  await run('webhook test', [endpoint])
  await run('webhook pause', [endpoint])
  await run('webhook resume', [endpoint])
  await run('webhook rotate', [endpoint])
  await run('webhook retire', [endpoint])
  await run('webhook resend', [endpoint])
  await run('webhook remove', [endpoint])

  await addMails(stage)
  await run('mail retry', ['mail-1'])
  await run('mail drop', ['mail-2'])
  await run('mail lift', [tomId])
  await run('mail test', [newAddress()], 1)

  const viewer = newAddress()
  const operator = new Walker(door)
  await operator.join(linkIn({ text: await run('operator invite', [viewer]) }))
  const { candidateId = '' } = (await services.accountStore.findByEmail(viewer)) ?? {}
  await addTotp({ writer }, candidateId)
  await run('operator reset-factor', [viewer])
  await run('operator link', [viewer, 'subject'], 0, { OPERATOR_OIDC_ISSUER: 'https://login.example.com' })
  await run('operator remove', [viewer])
  await run('operator invite', [viewer.replace('p', 'q')])
  await run('operator remove', [viewer.replace('p', 'q')])

  const later = services.clock() + 86_400_000
  await writer
    .updateTable('applications')
    .set({ submitted_at: later })
    .where('id', '=', second?.id ?? 0)
    .execute()
  await writer
    .updateTable('advertiser_ledger')
    .set({ last_submitted_at: later })
    .where('advertiser_id', '=', company)
    .execute()
  await run('clock settle', ['--now', new Date().toISOString()])
  await putClockInDoubt({ writer })
  await run('clock confirm', ['--now', new Date().toISOString()])
  const { id: imported } = await json('advertiser add', 'Imported')
  await writeFile(file('import.ndjson'), `${importLine(imported, mark, '2025-01-01T00:00:00Z')}\n`)
  await run('import', [file('import.ndjson')])
  await run('ids raise', ['--by', 5])
  await run('blobs claim')
  const sets = `${folder}-sets`
  await mkdir(sets, { recursive: true })
  await run('backup', ['--to', sets])
  await run('audit export')
  await run('restored', ['--by', 5])

  // Into a database of its own, whose log has the restore.
  const { DATABASE_URL: _, ...rest } = settings
  settings = { ...rest, DATA_DIR: file('restored') }
  await run('restore', ['--from', sets])
  const listed = JSON.parse((await runHere(['audit', 'list', '--json', '--limit', '1'], settings)).stdout)
  seen['restore'] = listed.map(
    ({ action, actor }: Record<string, string>) => actor === 'command:tester' && action,
  )
  return seen
}
