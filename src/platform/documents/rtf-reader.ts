import { type DocumentBuilder, headingOf, itemOf, type Shape, Unreadable } from './builder.ts'
import {
  characters,
  firstParagraph,
  paragraphEnds,
  paragraphWords,
  plain,
  runWords,
  symbols,
  type Target,
  targets,
} from './rtf-words.ts'

/** Character sets of Windows fonts by their numbers in RTF. */
const charsets: Record<number, string> = {
  0: 'windows-1252',
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
}

const codePages: Record<number, string> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
}

/** Undefined for a character set without an encoding, such as the one for symbols. */
function codePageOfCharset(charset: number): string | undefined {
  return charsets[charset]
}

/** Falls back to Windows-1252 for encodings that browsers no longer know, such as DOS code pages. */
function codePageOfNumber(number: number): string {
  return codePages[number] ?? (number >= 1250 && number <= 1258 ? `windows-${number}` : 'windows-1252')
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>()

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  const decoder = decoders.get(label) ?? new TextDecoder(label)
  decoders.set(label, decoder)
  return decoder
}

/** Word nests about twenty groups. */
const maxDepth = 500
/** Highest number of a font, style or list. */
const maxNumber = 32_767

/** A control word with its number, an escaped byte, a control symbol, a brace, or text. White space ends a control word. */
const tokens = /\\([a-z]+)(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/giy

/** State that a group inherits from its parent group. */
interface State {
  target: Target
  isStarred: boolean
  /** Whether the group is in a drawing, of which only the text is read. */
  isDrawing: boolean
  run: typeof plain
  font: number | undefined
  /** Number of characters after `\u` that are for readers without Unicode. */
  fallback: number
  paragraph: typeof firstParagraph
}

/**
 * Reads the text of an RTF file with its headings, lists, tables, bold and italics. It knows the control words that
 * carry text or structure and ignores all others, as the format requires. It scans the file once and keeps only the
 * states of the open groups and the numbers of fonts, styles and lists.
 */
export function readRtf(bytes: Uint8Array, builder: DocumentBuilder): void {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!source.startsWith('{\\rtf')) throw new Unreadable('not RTF')
  const reader = new RtfReader(builder)
  tokens.lastIndex = 0
  for (let token = tokens.exec(source); token !== null && !builder.isFull; token = tokens.exec(source)) {
    const [, word, number, byte, symbol, brace, text] = token
    if (text !== undefined) reader.takeText(text)
    else if (byte !== undefined) reader.takeText(String.fromCharCode(Number.parseInt(byte, 16)))
    else if (brace === '{') reader.open()
    else if (brace === '}') {
      if (!reader.close()) return
    } else if (word === 'bin') tokens.lastIndex += Math.max(0, Number(number ?? 0))
    else if (word !== undefined) reader.takeWord(word, number === undefined ? undefined : Number(number))
    else if (symbol !== undefined) reader.takeSymbol(symbol)
  }
  reader.flush()
}

class RtfReader {
  readonly #builder: DocumentBuilder
  readonly #outer: State[] = []
  #state: State = {
    target: 'text',
    isStarred: false,
    isDrawing: false,
    run: plain,
    font: undefined,
    fallback: 1,
    paragraph: firstParagraph,
  }
  /** Bytes of text that are not decoded yet, because a character may have two. */
  #bytes = ''
  #skip = 0
  /** The font, style or list whose definition is being read. */
  #defined = 0
  #defaultFont = 0
  #codePage = decoderOf(codePageOfNumber(1252))
  #isBulleted: boolean | undefined
  readonly #codePages = new Map<number, ReturnType<typeof decoderOf>>()
  readonly #headings = new Map<number, number>()
  readonly #bulletedLists = new Set<number>()
  readonly #bulleted = new Set<number>()

  constructor(builder: DocumentBuilder) {
    this.#builder = builder
  }

  open(): void {
    this.flush()
    this.#skip = 0
    if (this.#outer.length >= maxDepth) throw new Unreadable('too deep')
    this.#outer.push(this.#state)
    this.#state = { ...this.#state, isStarred: false }
  }

  /** Returns false at the end of the document. */
  close(): boolean {
    this.flush()
    this.#skip = 0
    const outer = this.#outer.pop()
    if (outer !== undefined) this.#state = outer
    return this.#outer.length > 0
  }

  takeText(text: string): void {
    const skipped = Math.min(this.#skip, text.length)
    this.#skip -= skipped
    const rest = text.slice(skipped)
    if (this.#state.target === 'text') this.#bytes += rest
    else if (this.#state.target === 'styles') this.#takeStyleName(rest)
  }

  takeSymbol(symbol: string): void {
    if (symbol === '*') this.#state.isStarred = true
    else if (symbol === '\n' || symbol === '\r') this.takeWord('par', undefined)
    else if (this.#skip > 0) this.#skip--
    else this.#write(symbols.get(symbol) ?? '')
  }

  takeWord(word: string, number: number | undefined): void {
    this.flush()
    // Some writers omit the fallback characters, so skip nothing but text.
    this.#skip = 0
    const state = this.#state
    const { isStarred } = state
    state.isStarred = false
    if (word === 'shptxt' && state.isDrawing) {
      this.#endParagraph()
      state.target = 'text'
      return
    }
    if (word === 'shpinst' && state.target === 'text') state.isDrawing = true
    const target = targets.get(word) ?? (isStarred ? 'nothing' : undefined)
    if (target !== undefined && (state.target === 'text' || target === 'nothing')) state.target = target
    else if (word === 'u') this.#takeUnicode(number ?? 0)
    else if (state.target === 'text') this.#format(word, number)
    else if (state.target !== 'nothing') this.#define(word, number ?? 0)
  }

  /** Writes the collected bytes, decoded by the code page of their font. */
  flush(): void {
    if (this.#bytes === '') return
    const { font } = this.#state
    const decoder = this.#codePages.get(font ?? this.#defaultFont) ?? this.#codePage
    const text = /[\x80-\xff]/.test(this.#bytes)
      ? decoder.decode(Buffer.from(this.#bytes, 'latin1'))
      : this.#bytes
    this.#bytes = ''
    this.#write(text)
  }

  #write(text: string): void {
    const { target, run } = this.#state
    if (target === 'text' && !run.isHidden) this.#builder.add(text, run)
  }

  #takeUnicode(number: number): void {
    this.#skip = this.#state.fallback
    // Numbers above 32,767 are written as negative numbers. Symbol fonts use the private area, mostly for bullets.
    const code = number & 0xffff
    this.#write(code >= 0xf020 && code <= 0xf0ff ? '\u2022' : String.fromCharCode(code))
  }

  #shape(): Shape {
    const { style, outline, list, level, numbering } = this.#state.paragraph
    const heading = headingOf(outline >= 0 ? outline + 1 : this.#headings.get(style))
    if (heading.heading !== undefined) return heading
    if (list > 0) return itemOf(level, !this.#bulleted.has(list))
    return numbering === undefined ? {} : itemOf(0, numbering === 'number')
  }

  #endParagraph(): void {
    this.#builder.endParagraph(this.#shape(), this.#state.paragraph.isInTable)
  }

  #format(word: string, number: number | undefined): void {
    const state = this.#state
    const run = runWords.get(word)?.(number)
    const paragraph = paragraphWords.get(word)?.(number)
    if (run !== undefined) state.run = { ...state.run, ...run }
    else if (paragraph !== undefined) state.paragraph = { ...state.paragraph, ...paragraph }
    else if (paragraphEnds.has(word)) this.#endParagraph()
    else if (word === 'cell') this.#builder.endCell(this.#shape())
    else if (word === 'row') this.#builder.endRow()
    else if (word === 'f') state.font = number
    else if (word === 'uc') state.fallback = Math.min(100, Math.max(0, number ?? 1))
    else if (word === 'deff') this.#defaultFont = number ?? 0
    else if (word === 'ansicpg') this.#codePage = decoderOf(codePageOfNumber(number ?? 1252))
    else if (word === 'mac') this.#codePage = decoderOf('macintosh')
    else this.#write(characters.get(word) ?? '')
    if (word === 'plain') state.font = undefined
  }

  /** Records definitions of fonts, styles and lists, up to the highest number that Word assigns. */
  #define(word: string, number: number): void {
    const { target } = this.#state
    if (word !== 'listid' && (number < 0 || number > maxNumber)) return
    if (target === 'fonts') {
      if (word === 'f') this.#defined = number
      if (word === 'fcharset') {
        const label = codePageOfCharset(number)
        if (label !== undefined) this.#codePages.set(this.#defined, decoderOf(label))
      }
    } else if (target === 'styles') {
      if (word === 's') this.#defined = number
      if (word === 'outlinelevel') this.#headings.set(this.#defined, number + 1)
    } else if (target === 'lists') {
      if (word === 'list') this.#isBulleted = undefined
      // The first level sets the list type.
      if (word === 'levelnfc') this.#isBulleted ??= number === 23 || number === 255
      if (word === 'listid' && this.#isBulleted && this.#bulletedLists.size < maxNumber)
        this.#bulletedLists.add(number)
    } else if (target === 'overrides') {
      if (word === 'listid') this.#defined = number
      if (word === 'ls' && this.#bulletedLists.has(this.#defined)) this.#bulleted.add(number)
    } else if (word === 'pnlvlblt' || word === 'pnlvlbody' || word === 'pnlvl') {
      // The definition applies to the paragraph around it.
      const outer = this.#outer.at(-1)
      const numbering = word === 'pnlvlblt' ? 'bullet' : 'number'
      if (outer !== undefined) outer.paragraph = { ...outer.paragraph, numbering }
    }
  }

  #takeStyleName(name: string): void {
    const [, title, level] = /^\s*(?:(title)\b|heading (\d))/i.exec(name) ?? []
    if (title !== undefined) this.#headings.set(this.#defined, 1)
    else if (level !== undefined) this.#headings.set(this.#defined, Number(level))
  }
}
