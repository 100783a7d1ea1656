import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Preloaded into a process (`--import`): at its end it writes the address of every loaded module, and what it has used of Intl. */
const loaded = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    loaded.add(url)
    return nextLoad(url, context)
  },
})
for (const name of ['DateTimeFormat', 'NumberFormat', 'DisplayNames', 'Collator'] as const) {
  Reflect.set(
    Intl,
    name,
    new Proxy(Intl[name], {
      construct(kind, args) {
        loaded.add(`Intl.${name}`)
        return Reflect.construct(kind, args)
      },
    }),
  )
}
process.on('exit', () => writeFileSync(String(process.env['LOADED_MODULES']), [...loaded].join('\n')))
