;(() => {
  const api = window.PublicKeyCredential
  if (api?.parseCreationOptionsFromJSON === undefined) return

  /** Asks the browser for a new passkey, or for the signature of one. */
  function ask({ passkey, options }, more = {}) {
    const named = JSON.parse(options)
    return passkey === 'create'
      ? navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(named) })
      : navigator.credentials.get({ publicKey: api.parseRequestOptionsFromJSON(named), ...more })
  }

  function send(part, credential) {
    part.querySelector('[name$="passkey"]').value = JSON.stringify(credential)
    part.closest('form').requestSubmit()
  }

  let offering

  /** Offers passkeys among the addresses that the browser suggests, until the button is pressed. */
  async function offer(part) {
    if (!(await api.isConditionalMediationAvailable?.())) return
    offering = new AbortController()
    const credential = await ask(part.dataset, { mediation: 'conditional', signal: offering.signal })
    send(part, credential)
  }

  for (const part of document.querySelectorAll('[data-passkey]')) {
    const button = part.querySelector('button')
    const status = part.querySelector('[role="status"]')
    part.hidden = false
    button.addEventListener('click', async () => {
      button.disabled = true
      status.textContent = ''
      offering?.abort()
      try {
        send(part, await ask(part.dataset))
      } catch (error) {
        const { known, failed } = part.dataset
        status.textContent = error.name === 'InvalidStateError' ? known : failed
      }
      button.disabled = false
    })
    // The button and the password remain where the browser does not offer any, or stops.
    if (part.hasAttribute('data-offered')) offer(part).catch(() => {})
  }
  for (const without of document.querySelectorAll('[data-without-passkeys]')) without.hidden = true
})()
