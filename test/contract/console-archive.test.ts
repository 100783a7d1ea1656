import assert from 'node:assert/strict'
import { test } from 'node:test'
import { southernId, tomId } from '../../src/demo/world/world.ts'
import type { ApplicationDraft } from '../../src/model/application.ts'
import { giveToCandidate, plainDraft, uploaded } from '../harness/applications.ts'
import { wordsOf } from '../harness/html-form.ts'
import { readZip } from '../harness/zip.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { harbourId } from './apply-form.ts'

const list = `/console/${harbourId}/applications`

const contactOf = (email: string) => ({ email, firstName: 'Ida', lastName: 'Bell', phone: '' })

// The configured scanner is unreachable: files that it has not judged are withheld.
inDemoWorldInTurn(
  'an application and its files',
  { env: { CLAMD_URL: 'tcp://127.0.0.1:9' } },
  (world, { signedIn }) => {
    const rex = signedIn('rex@example.com')

    async function apply(change: Partial<ApplicationDraft>, advertiserId = harbourId): Promise<number> {
      return (await world().services.submissions.add(advertiserId, plainDraft(change))).id
    }

    /** The applications that the page links to as those of the same person. */
    async function relatedTo(id: number): Promise<number[]> {
      const { status, text } = await rex.get(`${list}/${id}`)
      assert.equal(status, 200)
      const [, related = ''] = /Other applications from this person<\/h2>(.*?)<\/section>/s.exec(text) ?? []
      return [...related.matchAll(new RegExp(`href="${list}/(\\d+)"`, 'g'))].map(([, found]) => Number(found))
    }

    test('shows what the same person sent to this company, by account or address, and nothing else', async () => {
      const contact = contactOf('ida@example.com')
      const first = await apply({ contact })
      const second = await apply({ contact: contactOf('IDA@example.com') })
      // The same to another company, a candidate whose reference is the address, and an address that only begins the
      // same.
      await apply({ contact }, southernId)
      await apply({ contact: contactOf('other@example.com'), jobReference: 'ida@example.com' })
      await apply({ contact: contactOf('ida@example.com.au') })
      const accented = await apply({ contact: contactOf('idá@example.com') })
      assert.deepEqual(await relatedTo(first), [second])
      assert.deepEqual(await relatedTo(second), [first])
      assert.deepEqual(await relatedTo(accented), [])

      // Stored by earlier releases as they were sent.
      const spelled = await apply({ contact: contactOf('ida@mail.example.org') })
      const others = [
        await apply({ contact: contactOf('Ida@mail\u3002example.org') }),
        await apply({ contact: contactOf('ida@mail.example.org.') }),
      ]
      assert.deepEqual(await relatedTo(spelled), others.toReversed())
      assert.deepEqual(await relatedTo(others[0] as number), [others[1], spelled])
      for (const q of ['ida@mail.example.org', 'IDA@mail\u3002example\u3002org', 'ida@mail.example.org.']) {
        const { text } = await rex.get(`${list}?q=${encodeURIComponent(q)}`)
        const found = new Set(
          [...text.matchAll(new RegExp(`href="${list}/(\\d+)`, 'g'))].map(([, id]) => Number(id)),
        )
        assert.deepEqual([...found].toSorted(), [spelled, ...others].toSorted(), q)
      }

      const ofAccount = await apply({ contact: contactOf('ida.new@example.com') })
      const elsewhere = await apply({ contact: contactOf('ida.new@example.com') }, southernId)
      const { writer } = world().services.database
      for (const [advertiser_id, application_id, submitted_at] of [
        [harbourId, first, 1],
        [harbourId, ofAccount, 2],
        [southernId, elsewhere, 3],
      ] as const)
        await giveToCandidate(world().services, tomId, { advertiser_id, application_id, submitted_at })
      assert.deepEqual(await relatedTo(first), [ofAccount, second])
      assert.deepEqual(await relatedTo(ofAccount), [first])

      await writer
        .updateTable('applications')
        .set({ erased_at: 1 })
        .where('advertiser_id', '=', harbourId)
        .where('id', '=', second)
        .execute()
      assert.deepEqual(await relatedTo(first), [ofAccount])
      assert.deepEqual(await relatedTo(second), [])
    })

    test('shows five of many from the same person, and a link to all', async () => {
      for (let count = 0; count < 8; count++) await apply({ contact: contactOf('many+1@example.com') })
      const id = await apply({ contact: contactOf('many+1@example.com') })
      assert.equal((await relatedTo(id)).length, 5)
      const { text } = await rex.get(`${list}/${id}`)
      assert.match(text, /href="[^"]*applications\?q=many%2B1%40example\.com">Show all</)
    })

    test('shows its position within the filter', async () => {
      const ids = []
      for (let count = 0; count < 3; count++) ids.push(await apply({ jobReference: 'PLACE-1' }))
      const { text } = await rex.get(`${list}/${ids[1]}?q=place-1`)
      assert.match(wordsOf(text), / 2 of 3 /)
      const unmatched = await rex.get(`${list}/1?q=place-1`)
      assert.doesNotMatch(wordsOf(unmatched.text), / of 3 /)
    })

    test('its files come as one archive, without withheld ones, which a note names', async () => {
      const { services } = world()
      const text = 'text/plain'
      const resume = await uploaded(
        services,
        { type: 'resume', fileName: '../../etc/passwd\u202Efdp.txt', contentType: text, scan: 'clean' },
        'resume',
      )
      const letter = await uploaded(
        services,
        { type: 'coverLetter', fileName: 'C:\\a\\con|<>.txt', contentType: text, scan: 'unscanned' },
        'letter',
      )
      const criteria = {
        ...letter,
        type: 'selectionCriteria',
        fileName: 'bad.txt',
        blob: null,
        size: 0,
      } as const
      const id = await apply({ files: [resume, letter, { ...criteria, scan: 'infected' }] })
      const page = await rex.get(`${list}/${id}`)
      assert.match(page.text, new RegExp(`href="${list}/${id}/files.zip" download`))
      const answer = await rex.get(`${list}/${id}/files.zip`)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'application/zip')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.headers.get('content-disposition'), `attachment; filename=application-${id}.zip`)
      const files = await readZip(answer.bytes)
      assert.deepEqual([...files.keys()], ['Files left out.txt', 'resume-passwdfdp.txt'])
      assert.equal(files.get('resume-passwdfdp.txt')?.toString(), 'resume')
      const note = files.get('Files left out.txt')?.toString() ?? ''
      assert.match(note, /^con\.txt: This file hasn’t been checked for viruses yet/m)
      assert.match(note, /^bad\.txt: A virus was found/m)
      const head = await rex.send('HEAD', `${list}/${id}/files.zip`)
      assert.deepEqual([head.status, head.bytes.length], [200, 0])
    })

    test('an empty archive, and one of another company, is not found', async () => {
      const without = await apply({})
      const resume = await uploaded(world().services, { type: 'resume', scan: 'clean' }, 'theirs')
      const theirs = await apply({ files: [resume] }, southernId)
      for (const path of [
        `${list}/${without}/files.zip`,
        `${list}/${theirs}/files.zip`,
        `/console/${southernId}/applications/${theirs}/files.zip`,
        `${list}/x/files.zip`,
      ]) {
        const answer = await rex.get(path)
        assert.equal(answer.status, 404, path)
        assert.doesNotMatch(answer.text, /theirs/)
      }
      assert.doesNotMatch((await rex.get(`${list}/${without}`)).text, /files\.zip/)
    })
  },
)
