import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { inBrowser, signIn, visit, type World } from '../browser/world.ts'
import { behindTheScenes, harbourId } from '../contract/apply-form.ts'
import { plainDraft } from '../harness/applications.ts'
import { some } from '../harness/effort.ts'
import { putFile } from '../harness/tenant.ts'
import { hostilePdfs } from './hostile-pdfs.ts'

/** The path of an application with this file as its resume. */
async function applyWith(
  { service, authUrl }: World,
  content: Buffer,
  file: { fileName: string; contentType: string },
): Promise<string> {
  const { id } = await behindTheScenes(service, async services => {
    const resume = { ...(await putFile(services, 'resume', content)), ...file }
    return services.submissions.add(harbourId, plainDraft({ files: [resume] }))
  })
  return `${authUrl}/console/${harbourId}/applications/${id}`
}

/** Runs `use` as a person who looks at applications, and checks that no script runs and no request leaves. */
async function asRecruiter(world: World, use: (page: Page) => Promise<void>): Promise<void> {
  await visit(
    world,
    { javaScriptEnabled: true, viewport: { width: 800, height: 900 } },
    async ({ page, complaints, origins }) => {
      const dialogs: string[] = []
      page.on('dialog', dialog => {
        dialogs.push(dialog.message())
        return dialog.dismiss()
      })
      await signIn(world, page, 'rex@example.com')
      origins.clear()
      await use(page)
      assert.deepEqual(dialogs, [])
      assert.deepEqual(complaints, [])
      assert.deepEqual([...origins], [world.authUrl])
    },
  )
}

const cannot = 'This file can’t be shown here. Download it to view it.'

/** The page is unchanged, responds, and has its links, also to the file. */
async function assertUsable(page: Page, name: string): Promise<void> {
  assert.match(await page.title(), /^Mary Nguyen/, name)
  assert.equal(
    await page.evaluate(
      'document.querySelectorAll("script:not([src]), main img, main a[href^=javascript]").length',
    ),
    0,
    name,
  )
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    0,
    name,
  )
  assert.ok(await page.getByRole('link', { name: /^Download/ }).isVisible(), name)
}

inBrowser('previews of malicious files', world => {
  const pdf = { fileName: 'resume.pdf', contentType: 'application/pdf' }

  test('a PDF is drawn or cannot be, and the page keeps working in any case', () =>
    asRecruiter(world(), async page => {
      for (const { name, content, pages } of some(1, hostilePdfs())) {
        await page.goto(await applyWith(world(), content, pdf))
        const region = page.locator('.preview-pages')
        await region.scrollIntoViewIfNeeded()
        // The words of a page appear once it has been read, the last ones at the end.
        const end = pages === 0 ? region.getByText(cannot) : region.locator('.visually-hidden').nth(pages - 1)
        await end.waitFor({ state: 'attached' })
        assert.equal(await region.locator('canvas').count(), pages, name)
        await assertUsable(page, name)
      }
    }))

  test('a text is text, whatever markup it imitates', () =>
    asRecruiter(world(), async page => {
      const markup = '<!doctype html><script>top.document.title = "taken"; alert(1)</script><b>bold</b>'
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>'
      for (const [name, content, start] of some(2, [
        ['html', Buffer.from(markup), markup],
        ['UTF-16', Buffer.from(`\uFEFF${markup}`, 'utf16le'), markup],
        ['10 MiB in one line', Buffer.alloc(10 * 1024 * 1024, '<b>x'), '<b>x<b>x'],
        ['svg', Buffer.from(`<?xml version="1.0"?>${svg}`), `<?xml version="1.0"?>${svg}`],
        ['UTF-7', Buffer.from('+ADw-script+AD4-alert(1)+ADw-/script+AD4-'), '+ADw-script'],
      ])) {
        const file = { fileName: 'resume.txt', contentType: 'text/plain' }
        await page.goto(await applyWith(world(), content, file))
        await page.locator('iframe').scrollIntoViewIfNeeded()
        const body = page.frameLocator('iframe').locator('body')
        const shown = (await body.innerText()).trim()
        assert.ok(shown.startsWith(start), `${name}: ${shown.slice(0, 100)}`)
        assert.ok(shown.length < 600_000, name)
        assert.equal(await body.locator('b, script, svg').count(), 0, name)
        await assertUsable(page, name)
      }
    }))
})
