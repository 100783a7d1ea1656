import { after, before, describe } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { WorldName } from '../../src/demo/world-names.ts'
import { launchChromium } from '../harness/browser.ts'
import { createTestDatabase, type Engine, type TestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { demoPassword, doorOf, Browser as HttpBrowser, mary } from '../harness/oauth.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { partsOfSuite, type Suite } from '../harness/suite.ts'
import { registerClient } from '../oauth/registering.ts'
import { type ClientSite, openClientSite } from './client-site.ts'

/** A running service, a website of a third party, and a Chromium that visits both. */
export interface World {
  browser: Browser
  service: Service
  authUrl: string
  baseUrl: string
  client: ClientSite
  clientName: string
}

export interface WorldOptions {
  engines?: readonly Engine[]
  clientName?: string
  /** Is AUTH_URL the same as BASE_URL? */
  isOneOrigin?: boolean
  demoWorld?: WorldName
  env?: Record<string, string>
}

let chromium: Promise<Browser> | undefined
after(async () => (await chromium)?.close())

/** One Chromium for the file; a service, a database and a client for each engine. */
export function inBrowser(...suite: Suite<WorldOptions, (world: () => World) => void>) {
  const { name, options, body } = partsOfSuite(suite, {})
  const {
    engines = ['sqlite'],
    clientName = 'Quayside Careers',
    isOneOrigin = false,
    demoWorld,
    env: own,
  } = options
  describe(name, () => {
    for (const engine of engines) {
      describe(engine, () => {
        let world: World
        let database: TestDatabase
        before(async () => {
          database = await createTestDatabase(engine, demoWorld === undefined ? 'demo' : 'empty')
          const client = await openClientSite()
          const port = await freePort()
          const baseUrl = `http://localhost:${port}`
          const authUrl = isOneOrigin ? baseUrl : `http://127.0.0.1:${port}`
          const env = { PORT: String(port), BASE_URL: baseUrl, AUTH_URL: authUrl, ...own }
          const service = await startServiceHere(database, { env, ...(demoWorld && { demoWorld }) })
          const registered = await registerClient(service, 'quayside', {
            redirectUri: client.redirectUri,
            name: clientName,
          })
          client.connect(registered, authUrl, baseUrl)
          chromium ??= launchChromium()
          const browser = await chromium
          world = { browser, service, authUrl, baseUrl, client, clientName }
        })
        after(async () => {
          await world.client.close()
          await world.service.stop()
          await database.remove()
        })
        body(() => world)
      })
    }
  })
}

/** A person with their own browser, and a record of what the browser did. */
export interface Visitor {
  context: BrowserContext
  page: Page
  /** Errors of the browser: violated policies, failed loads. */
  complaints: string[]
  /** The origin of every request. */
  origins: Set<string>
}

type Use = (visitor: Visitor) => Promise<void>
type Visiting = [use: Use] | [options: BrowserContextOptions, use: Use]

/** Without JavaScript, unless a test wants it. The context is closed when `use` ends. */
export async function visit({ browser }: World, ...visiting: Visiting): Promise<void> {
  const [options, use] = visiting.length === 2 ? visiting : [{}, visiting[0]]
  const context = await browser.newContext({ javaScriptEnabled: false, ...options })
  const complaints: string[] = []
  const origins = new Set<string>()
  context.on('console', message => {
    // Someone pressed Tab before the browser had focused an element for them, and stays where they are: as it should be.
    if (message.text().startsWith('Autofocus processing was blocked')) return
    complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', error => complaints.push(`uncaught: ${error.error().message}`))
  context.on('request', request => origins.add(new URL(request.url()).origin))
  // Generous: a machine may be busy, and a response that comes does so long before.
  context.setDefaultTimeout(60_000)
  try {
    await use({ context, page: await context.newPage(), complaints, origins })
  } finally {
    await context.close()
  }
}

export async function fillSignIn(page: Page, email: string = mary, password = demoPassword): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** By the form of the page. */
export async function signInByHand({ authUrl }: World, page: Page, email: string = mary): Promise<void> {
  await page.goto(`${authUrl}/sign-in`)
  await fillSignIn(page, email)
  await atPath(page, '/account')
}

/** For tests of what follows it: the cookies are the same, and two pages fewer are drawn. */
export async function signIn({ authUrl }: World, page: Page, email: string = mary): Promise<void> {
  const browser = new HttpBrowser(doorOf({ baseUrl: authUrl }))
  await browser.signIn(email)
  const kept = { url: authUrl, httpOnly: true, sameSite: 'Lax' } as const
  await page.context().addCookies([...browser.cookies].map(([name, value]) => ({ name, value, ...kept })))
}

export const consentTitle = 'Share your profile?'

/** Of the current page, or the next one: a key that leads to another page does not wait for it. */
export async function assertHeading(page: Page, heading: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
}

export async function atPath(page: Page, path: string): Promise<void> {
  await page.waitForURL(url => url.pathname === path)
}

/** Waits until the browser is at the client, and returns the text of the client's page. */
export async function landedText({ client }: World, page: Page): Promise<string> {
  await page.waitForURL(url => url.origin === client.origin)
  return (await page.locator('pre').textContent()) ?? ''
}

export const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true })
export const decline = (page: Page) => page.getByRole('button', { name: 'Decline', exact: true })

/** A field of the form with Allow and Decline. */
export const consentField = (page: Page, name: string) =>
  page.locator(`form:has(button[name=decision]) input[name=${name}]`)

/** Sends another value than the page would, as an attacker might. */
export async function overwrite(page: Page, field: string, value: string): Promise<void> {
  await consentField(page, field).evaluate((input: { value: string }, text: string) => {
    input.value = text
  }, value)
}

/** Withdraws the consent at the top of "Who has my data", which asks once. */
export async function withdraw(page: Page): Promise<void> {
  await page.getByText('Withdraw', { exact: true }).first().click()
  await page.getByRole('button', { name: 'Yes, withdraw' }).first().click()
  await page.getByRole('status').waitFor()
}
