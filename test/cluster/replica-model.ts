import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { applicationsInSmallChunks } from '../harness/applications.ts'
import { addReader, type Node, type Pair } from './replicated.ts'

/** The possible operations; numbers choose among the existing applications. */
export const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({ do: 'apply' as const }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('judge' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), which: fc.nat() }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...(['pause', 'resume', 'catch up'] as const).map(name => ({ do: name }))),
    },
    { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('page', 'list', 'look'), which: fc.nat() }) },
  ),
  { minLength: 40, maxLength: 40 },
)
type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never

/** An application as its advertiser must see it from now on. */
interface Known {
  id: number
  isInfected: boolean
  isErased: boolean
}

interface Shown {
  ID: number
  FirstName: string
  Attachments: { HasVirus: boolean | null }[]
}

function knownFrom({ ID, FirstName, Attachments }: Shown): Known {
  return {
    id: ID,
    isInfected: Attachments.some(({ HasVirus }) => HasVirus === true),
    isErased: FirstName === '',
  }
}

/** Each read must show exactly the changes made before it. */
export async function play({ replica }: Pair, node: Node, sequence: Steps): Promise<void> {
  const { services } = node
  const applications = applicationsInSmallChunks(services, 2)
  const reader = await addReader(services)
  const { advertiserId } = reader
  const known: Known[] = []
  await node.untilAsked()

  const shownOf = (list: string): Known[] =>
    JSON.parse(list).JobApplications.JobApplicationsList.map(knownFrom)

  for (const [serial, step] of sequence.entries()) {
    const chosen = 'which' in step && known.length > 0 ? known[step.which % known.length] : undefined
    const owner = { advertiserId, agentId: null, version: await reader.version() }
    switch (step.do) {
      case 'apply':
        known.push({ id: await reader.apply(serial), isInfected: false, isErased: false })
        break
      case 'judge':
        if (chosen === undefined) break
        if (await applications.recordVerdict(advertiserId, chosen.id, 'resume', 'infected'))
          chosen.isInfected = true
        break
      case 'erase':
        if (chosen === undefined) break
        await services.erasure.erase(advertiserId, chosen.id)
        Object.assign(chosen, { isErased: true, isInfected: false })
        break
      case 'pause':
        await replica.pause()
        break
      case 'resume':
        await replica.resume()
        break
      case 'catch up':
        await replica.resume()
        await replica.caughtUp()
        break
      case 'page': {
        const afterId = chosen?.id ?? 0
        const query = { afterId: String(afterId), includePrimaryInfo: false }
        const { content } = await applications.listPage(owner, 'json', query, 3)
        assert.deepEqual(shownOf(String(content)), known.filter(({ id }) => id > afterId).slice(0, 3))
        break
      }
      case 'list': {
        const list = await applications.listAll(owner, 'json', { includePrimaryInfo: false })
        assert.deepEqual(shownOf(await text(list)), known)
        break
      }
      case 'look': {
        if (chosen === undefined) break
        const file = applications.download(advertiserId, chosen.id, 'resume', owner.version)
        const screen = applications.screen(advertiserId, chosen.id, 'json', owner.version)
        const found = await Promise.allSettled([file, screen])
        assert.deepEqual(
          found.map(({ status }) => status === 'rejected'),
          [chosen.isErased, chosen.isErased],
        )
        if (!chosen.isErased) assert.equal((await file).file.scan === 'infected', chosen.isInfected)
      }
    }
  }
}
