// Finds what stands between a reader and the code without adding anything: docs/decisions/104-take-the-store-itself.md.
import { posix } from 'node:path'

type Files = Readonly<Record<string, string>>

const roomOf = (path: string) => path.split('/').slice(0, 2).join('/')

/**
 * Interfaces of functions in files of ports that only one file implements, in the room of the port. Interfaces that
 * describe a part of another one are left out, and so are those that other rooms' services name.
 */
export function needlessPorts(files: Files): string[] {
  const all = Object.entries(files)
  return all.flatMap(([path, text]) => {
    if (posix.basename(path).split('-').at(-1) !== 'ports.ts') return []
    const found = [...text.matchAll(/^export interface (\w+)[^{]*\{(.*?)^\}/gms)]
    return found.flatMap(([, name = '', body = '']) => {
      const isNamed = new RegExp(`\\b${name}\\b`)
      const isPart = found.some(([, other, members = '']) => other !== name && isNamed.test(members))
      if (isPart || !/\)(: |\s*=>)/.test(body)) return []
      const isMade = new RegExp(`(\\)|const \\w+): (Promise<)?${name}\\b|(extends|satisfies) ${name}\\b`)
      const others = all.filter(([other]) => other !== path)
      const makers = others.filter(([, code]) => isMade.test(code)).map(([maker]) => maker)
      const isShared = others.some(
        ([other, code]) =>
          /-?service\.ts$/.test(other) && roomOf(other) !== roomOf(path) && isNamed.test(code),
      )
      const [maker = ''] = makers
      return makers.length === 1 && roomOf(maker) === roomOf(path) && !isShared ? [`${path}: ${name}`] : []
    })
  })
}

/** Modules whose fields a function names only to hand them on: `...module` says the same. */
export function handedOn(text: string): string[] {
  return [...text.matchAll(/^( +)const \{([^{}:=]+)\} = ([\w.]+)\n/gm)].flatMap(match => {
    const [whole = '', , list = '', from = ''] = match
    const names = list
      .split(',')
      .map(name => name.trim())
      .filter(Boolean)
    // To the end of the function.
    const rest = text.slice(match.index + whole.length).split(/^\}/m, 1)[0] ?? ''
    const isHandedOn = (name: string) => {
      const uses = [...rest.matchAll(new RegExp(`(?<![\\w.'])${name}\\b`, 'g'))]
      return uses.length > 0 && uses.every(({ index }) => isShorthand(rest, index, name))
    }
    return names.length > 1 && names.every(isHandedOn) ? [`${from}: ${names.join(', ')}`] : []
  })
}

/** A name of an object literal, rather than an argument or an element. */
function isShorthand(text: string, at: number, name: string): boolean {
  if (!/[{,]\s*$/.test(text.slice(0, at)) || !/^\s*[,}]/.test(text.slice(at + name.length))) return false
  let depth = 0
  for (let index = at - 1; index >= 0; index--) {
    if (')]}'.includes(text[index] ?? '')) depth++
    if ('([{'.includes(text[index] ?? '') && depth-- === 0) return text[index] === '{'
  }
  return false
}
