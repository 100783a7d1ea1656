import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { textOf } from './html-form.ts'
import type { Door } from './oauth.ts'

export interface ReceivedMail {
  to: string
  subject: string
  text: string
  /** Its first link, from the path on. */
  path: string
}

/** The emails that the demo would have sent, newest first. */
export async function readOutbox(door: Door): Promise<ReceivedMail[]> {
  const page = await door.send('GET', '/demo/outbox')
  assert.equal(page.status, 200, page.text)
  return [...page.text.matchAll(/<article\b[^>]*>(.*?)<\/article>/gs)].map(([, article = '']) => {
    const markup = article.replace(/<\/?bdi>/g, '')
    const [, subject = ''] = /<h2[^>]*>(.*?)<\/h2>/s.exec(markup) ?? []
    const [, to = ''] = /To (\S+),/.exec(markup) ?? []
    const [, href] = /<a href="([^"]*)"/.exec(markup) ?? []
    const url = href === undefined ? undefined : new URL(textOf(href))
    return {
      to: textOf(to),
      subject: textOf(subject),
      text: textOf(markup.replace(/<[^>]*>/g, ' ')),
      path: url === undefined ? '' : url.pathname + url.search + url.hash,
    }
  })
}

/** Emails are written after the response, so it may take a moment; an email that has not come by then never will. */
export async function mailsTo(
  door: Door,
  recipient: string,
  count: number,
  /** Only those whose link begins with it: notices about earlier acts may still arrive. */
  link = '',
): Promise<ReceivedMail[]> {
  for (const deadline = Date.now() + 120_000; ; await sleep(20)) {
    const mails = (await readOutbox(door)).filter(({ to, path }) => to === recipient && path.startsWith(link))
    if (mails.length >= count) return mails
    assert.ok(Date.now() < deadline, `${count} mails to ${recipient}, but there are only ${mails.length}`)
  }
}

/** The newest of them, once there are so many. */
export async function mailTo(door: Door, recipient: string, count = 1, link = ''): Promise<ReceivedMail> {
  const [newest] = await mailsTo(door, recipient, count, link)
  assert.ok(newest !== undefined)
  return newest
}
