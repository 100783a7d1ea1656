import { type App, openApp } from '../../src/assembly/app.ts'

export type Services = ReturnType<typeof servicesOf>

/** The services of all modules side by side, as tests name and replace them. */
export function servicesOf(app: App) {
  return {
    ...app.platform,
    ...app.companies,
    ...app.jobs,
    ...app.accounts,
    ...app.people,
    ...app.mail,
    ...app.share,
    ...app.apply,
    ...app.collect,
    ...app.events,
    ...app.webhooks,
    ...app.audit,
    ...app.backup,
    ...app.upkeep,
    ...app.operator,
    ...app.demo,
    close: app.close,
    opened: app,
  }
}

export async function openServices(...how: Parameters<typeof openApp>): Promise<Services> {
  return servicesOf(await openApp(...how))
}

/** The modules again, with the services that a test has replaced. */
export function appOf({ opened: { close, ...modules }, ...services }: Services): App {
  const known: Record<string, unknown> = services
  const withReplaced = (module: object) =>
    Object.fromEntries(Object.keys(module).map(name => [name, known[name]]))
  const entries = Object.entries(modules).map(([name, module]) => [name, withReplaced(module)])
  return { ...Object.fromEntries(entries), close } as App
}
