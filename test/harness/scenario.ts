import { before } from 'node:test'
import { Browser, type Door } from './oauth.ts'

/** What the suites of a service begin with. A suite can name all of it before its service is there. */
export interface Scenario {
  door: Door
  /** The browser of a person, Mary by default, who signs in before the first test. */
  signedIn(email?: string): Browser
  /** The browser of Mary, who shares everything with the demo's client before the first test. */
  agreed(): Browser
}

export function createScenario(doorNow: () => Door): Scenario {
  const door: Door = {
    get origin() {
      return doorNow().origin
    },
    send: (...request) => doorNow().send(...request),
  }
  function prepared(prepare: (browser: Browser) => Promise<unknown>): Browser {
    const browser = new Browser(door)
    before(() => prepare(browser))
    return browser
  }
  return {
    door,
    signedIn: email => prepared(browser => browser.signIn(email)),
    agreed: () => prepared(browser => browser.code()),
  }
}
