import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Preloaded into a process (`--import`): at its end it writes the address of every loaded module. */
const loaded = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    loaded.add(url)
    return nextLoad(url, context)
  },
})
process.on('exit', () => writeFileSync(String(process.env['LOADED_MODULES']), [...loaded].join('\n')))
