import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DocumentKind, documentTypes } from '../../src/platform/documents/document.ts'
import { behindTheScenes, harbourId } from '../contract/apply-form.ts'
import { plainDraft } from '../harness/applications.ts'
import { longTest, some } from '../harness/effort.ts'
import { hostilePdf } from '../harness/hostile-pdf.ts'
import { until } from '../harness/polling.ts'
import { putFile } from '../harness/tenant.ts'
import { docOf, docxOf, docxParagraph } from '../harness/word-documents.ts'
import { inBrowser, signIn, visit, type World } from './world.ts'

const letter = 'Dear team\n<script>document.title = "taken over"</script><img src="https://evil.example/x">\n'

async function applyWithHostileFiles({ service }: World): Promise<number> {
  return behindTheScenes(service, async services => {
    const resume = await putFile(services, 'resume', hostilePdf())
    const text = await putFile(services, 'coverLetter', Buffer.from(letter))
    const broken = await putFile(services, 'selectionCriteria', Buffer.from('%PDF-1.7\nnothing'))
    const { id } = await services.submissions.add(
      harbourId,
      plainDraft({
        files: [
          { ...resume, contentType: 'application/pdf' },
          { ...text, fileName: 'letter.txt', contentType: 'text/plain' },
          { ...broken, contentType: 'application/pdf' },
        ],
      }),
    )
    return id
  })
}

inBrowser('previews', world => {
  test('show the text of a hostile file, and run none of it', () =>
    visit(world(), { javaScriptEnabled: true }, async ({ page, complaints, origins }) => {
      const dialogs: string[] = []
      page.on('dialog', dialog => {
        dialogs.push(dialog.message())
        return dialog.dismiss()
      })
      const id = await applyWithHostileFiles(world())
      await signIn(world(), page, 'rex@example.com')
      origins.clear()
      await page.goto(`${world().authUrl}/console/${harbourId}/applications/${id}`)

      const drawn = page.getByRole('img', { name: 'Page 1 of 1' })
      await drawn.scrollIntoViewIfNeeded()
      // Evaluated from here: the policy of the page forbids evaluating text in it, except for the first time.
      await until(() => page.evaluate<boolean>(isInked))
      // The drawn page can be read aloud too.
      await page
        .locator('.preview-pages .visually-hidden', { hasText: 'Hello from a hostile file' })
        .waitFor({ state: 'attached' })

      const frame = page.frameLocator('iframe')
      await page.locator('iframe').scrollIntoViewIfNeeded()
      assert.equal((await frame.locator('body').innerText()).trim(), letter.trim())
      assert.match(await page.title(), /^Mary Nguyen/)

      await page.locator('.preview-pages').last().scrollIntoViewIfNeeded()
      await page.getByText('This file can’t be shown here. Download it to view it.').waitFor()
      assert.equal(await page.getByRole('link', { name: /^Download/ }).count(), 3)

      assert.deepEqual(dialogs, [])
      assert.deepEqual(complaints, [])
      assert.deepEqual([...origins], [world().authUrl])
    }))

  longTest(
    'Word and RTF files are text with headings and lists, without JavaScript too, and nothing else',
    async () => {
      const markup = '&lt;img src=x onerror=alert(1)&gt;&lt;a href=&quot;https://evil.example&quot;&gt;'
      const link = '<w:p><w:hyperlink r:id="r9"><w:r><w:t>Click me</w:t></w:r></w:hyperlink></w:p>'
      const target =
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r9" Type="x" Target="javascript:alert(1)" TargetMode="External"/></Relationships>'
      const docx = docxOf(
        docxParagraph('Experience', '<w:pStyle w:val="h1"/>') + docxParagraph(markup) + link,
        [{ name: 'word/_rels/document.xml.rels', content: target }],
      )
      const id = await behindTheScenes(world().service, async services => {
        const file = async (
          type: 'resume' | 'coverLetter' | 'selectionCriteria',
          kind: DocumentKind,
          bytes: Buffer,
        ) => ({
          ...(await putFile(services, type, bytes)),
          fileName: `${type}.${kind}`,
          contentType: documentTypes[kind],
        })
        const files = [
          await file('resume', 'docx', docx),
          await file(
            'coverLetter',
            'doc',
            docOf([
              { text: 'Skills', style: 1 },
              { text: 'Latte art', list: 1 },
            ]),
          ),
          await file('selectionCriteria', 'rtf', Buffer.from('{\\rtf1 broken off {{')),
        ]
        return (await services.submissions.add(harbourId, plainDraft({ files }))).id
      })
      for (const javaScriptEnabled of some(1, [false, true])) {
        await visit(world(), { javaScriptEnabled }, async ({ page, complaints, origins }) => {
          page.on('dialog', dialog => assert.fail(dialog.message()))
          await signIn(world(), page, 'rex@example.com')
          origins.clear()
          await page.goto(`${world().authUrl}/console/${harbourId}/applications/${id}`)
          const frame = (index: number) => page.frameLocator(`iframe >> nth=${index}`)
          for (const place of await page.locator('iframe').all()) await place.scrollIntoViewIfNeeded()
          await frame(0).getByRole('heading', { name: 'Experience' }).waitFor()
          await frame(0).getByText('<img src=x onerror=alert(1)><a href="https://evil.example">').waitFor()
          assert.equal(await frame(0).locator('a, img, script').count(), 0)
          await frame(1).getByRole('listitem').filter({ hasText: 'Latte art' }).waitFor()
          await frame(2).getByText('broken off').waitFor()
          assert.deepEqual(complaints, [])
          assert.deepEqual([...origins], [world().authUrl])
        })
      }
    },
  )

  longTest('without JavaScript a PDF is a link to download', () =>
    visit(world(), async ({ page, complaints }) => {
      const id = await applyWithHostileFiles(world())
      await signIn(world(), page, 'rex@example.com')
      await page.goto(`${world().authUrl}/console/${harbourId}/applications/${id}`)
      assert.equal(await page.locator('.preview-pages').first().isVisible(), false)
      await page.getByText('Turn on JavaScript to see a preview').first().waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page
          .getByRole('link', { name: /^Download/ })
          .first()
          .click(),
      ])
      assert.match(download.suggestedFilename(), /resume/)
      assert.deepEqual(complaints, [])
    }),
  )
})

/** In the page: whether the first canvas has a pixel that is not white. */
const isInked = `(() => {
  const canvas = document.querySelector('canvas')
  if (!canvas || canvas.width === 0) return false
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  return data.some((value, index) => index % 4 === 0 && value < 128 && data[index + 3] === 255)
})()`
