/** Character sets of Windows fonts by their number, as RTF writes them. */
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

/** Undefined for a character set that says nothing, such as that of symbols. */
export function codePageOfCharset(charset: number): string | undefined {
  return charsets[charset]
}

/** Windows-1252 for what browsers no longer know, such as the code pages of DOS. */
export function codePageOfNumber(number: number): string {
  return codePages[number] ?? (number >= 1250 && number <= 1258 ? `windows-${number}` : 'windows-1252')
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>()

export function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  const decoder = decoders.get(label) ?? new TextDecoder(label)
  decoders.set(label, decoder)
  return decoder
}
