/** Levels of authentication (acr) that the reference TPP asks for. */
export const LEVELS = ['urn:openbanking:psd2:sca', 'urn:openbanking:psd2:ca']
