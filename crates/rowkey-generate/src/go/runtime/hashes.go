package runtime

// murmur3 is MurmurHash3 of 32 bits with seed -1, as HBase computes it.
func murmur3(data []byte) int32 {
	hash, length := ^uint32(0), len(data)
	for ; len(data) >= 4; data = data[4:] {
		hash ^= murmurMix(binary.LittleEndian.Uint32(data))
		hash = bits.RotateLeft32(hash, 13)*5 + 0xe6546b64
	}
	tail := uint32(0)
	for i, b := range data {
		tail |= uint32(b) << (8 * i)
	}
	return murmurEnd(hash ^ murmurMix(tail) ^ uint32(length))
}

func murmurMix(word uint32) uint32 {
	return bits.RotateLeft32(word*0xcc9e2d51, 15) * 0x1b873593
}

// murmur3Word is murmur3 of the eight bytes of a number, the first byte highest.
func murmur3Word(word uint64) int32 {
	word = bits.ReverseBytes64(word)
	hash := bits.RotateLeft32(^murmurMix(uint32(word)), 13)*5 + 0xe6546b64
	hash = bits.RotateLeft32(hash^murmurMix(uint32(word>>32)), 13)*5 + 0xe6546b64
	return murmurEnd(hash ^ 8)
}

func murmurEnd(hash uint32) int32 {
	hash ^= hash >> 16
	hash *= 0x85ebca6b
	hash ^= hash >> 13
	hash *= 0xc2b2ae35
	return int32(hash ^ hash>>16)
}

// javaHash is String.hashCode of Java: a polynomial in 31 over the text's UTF-16 units.
func javaHash(text []byte) int32 {
	hash := int32(0)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		if r > 0xFFFF {
			first, second := utf16.EncodeRune(r)
			hash = hash*31 + int32(first)
			r = second
		}
		hash = hash*31 + int32(r)
	}
	return hash
}

// javaBytesHash is Arrays.hashCode of Java over bytes: a polynomial in 31 over signed bytes that starts at 1.
func javaBytesHash(data []byte) int32 {
	hash := int32(1)
	for _, b := range data {
		hash = hash*31 + int32(int8(b))
	}
	return hash
}

// phoenixSalt is Phoenix's salt: Java's remainder without its sign.
func phoenixSalt(data []byte, buckets int64) int64 {
	rest := int64(javaBytesHash(data)) % buckets
	if rest < 0 {
		rest = -rest
	}
	return rest
}

// openTSDBSalt is OpenTSDB's salt. A metric, the first bytes, of zeros only is in bucket 0.
func openTSDBSalt(data []byte, metric int, buckets int64) int64 {
	for _, b := range data[:metric] {
		if b != 0 {
			return phoenixSalt(data, buckets)
		}
	}
	return 0
}

// appendHex adds bytes as lower-case hex digits.
func appendHex(dst, digest []byte) []byte {
	const digits = "0123456789abcdef"
	for _, b := range digest {
		dst = append(dst, digits[b>>4], digits[b&0x0F])
	}
	return dst
}

const (
	xxPrime32_1 = 0x9E3779B1
	xxPrime32_2 = 0x85EBCA77
	xxPrime32_3 = 0xC2B2AE3D
	xxPrime64_1 = 0x9E3779B185EBCA87
	xxPrime64_2 = 0xC2B2AE3D27D4EB4F
	xxPrime64_3 = 0x165667B19E3779F9
	xxPrime64_4 = 0x85EBCA77C2B2AE63
	xxPrime64_5 = 0x27D4EB2F165667C5
)

// xxSecret is the default secret of XXH3.
const xxSecret = "" +
	"\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe\x7c\x01\x81\x2c\xf7\x21\xad\x1c\xde\xd4\x6d\xe9\x83\x90\x97\xdb" +
	"\x72\x40\xa4\xa4\xb7\xb3\x67\x1f\xcb\x79\xe6\x4e\xcc\xc0\xe5\x78\x82\x5a\xd0\x7d\xcc\xff\x72\x21" +
	"\xb8\x08\x46\x74\xf7\x43\x24\x8e\xe0\x35\x90\xe6\x81\x3a\x26\x4c\x3c\x28\x52\xbb\x91\xc3\x00\xcb" +
	"\x88\xd0\x65\x8b\x1b\x53\x2e\xa3\x71\x64\x48\x97\xa2\x0d\xf9\x4e\x38\x19\xef\x46\xa9\xde\xac\xd8" +
	"\xa8\xfa\x76\x3f\xe3\x9c\x34\x3f\xf9\xdc\xbb\xc7\xc7\x0b\x4f\x1d\x8a\x51\xe0\x4b\xcd\xb4\x59\x31" +
	"\xc8\x9f\x7e\xc9\xd9\x78\x73\x64\xea\xc5\xac\x83\x34\xd3\xeb\xc3\xc5\x81\xa0\xff\xfa\x13\x63\xeb" +
	"\x17\x0d\xdd\x51\xb7\xf0\xda\x49\xd3\x16\x55\x26\x29\xd4\x68\x9e\x2b\x16\xbe\x58\x7d\x47\xa1\xfc" +
	"\x8f\xf8\xb8\xd1\x7a\xd0\x31\xce\x45\xcb\x3a\x8f\x95\x16\x04\x28\xaf\xd7\xfb\xca\xbb\x4b\x40\x7e"

// xxh3 is XXH3 of 64 bits with seed 0.
func xxh3(data []byte) uint64 {
	n := len(data)
	switch {
	case n > 240:
		return xxLong(data)
	case n > 128:
		return xxMiddle(data)
	case n > 16:
		hash := uint64(n) * xxPrime64_1
		for i := (n - 1) / 32; i >= 0; i-- {
			hash += xxMix(data[16*i:], 32*i) + xxMix(data[n-16*i-16:], 32*i+16)
		}
		return xxAvalanche(hash)
	case n > 8:
		low := binary.LittleEndian.Uint64(data) ^ xxKey(24) ^ xxKey(32)
		high := binary.LittleEndian.Uint64(data[n-8:]) ^ xxKey(40) ^ xxKey(48)
		return xxAvalanche(uint64(n) + bits.ReverseBytes64(low) + high + xxFold(low, high))
	case n >= 4:
		first, last := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[n-4:])
		hash := (uint64(last) + uint64(first)<<32) ^ xxKey(8) ^ xxKey(16)
		hash ^= bits.RotateLeft64(hash, 49) ^ bits.RotateLeft64(hash, 24)
		hash *= 0x9FB21C651E98DF25
		hash ^= hash>>35 + uint64(n)
		hash *= 0x9FB21C651E98DF25
		return hash ^ hash>>28
	case n > 0:
		combined := uint32(data[0])<<16 | uint32(data[n>>1])<<24 | uint32(data[n-1]) | uint32(n)<<8
		keys := xxKey(0)
		return xxAvalancheOld(uint64(combined ^ uint32(keys) ^ uint32(keys>>32)))
	}
	return xxAvalancheOld(xxKey(56) ^ xxKey(64))
}

func xxMiddle(data []byte) uint64 {
	n := len(data)
	hash := uint64(n) * xxPrime64_1
	for i := 0; i < 8; i++ {
		hash += xxMix(data[16*i:], 16*i)
	}
	hash = xxAvalanche(hash)
	for i := 8; i < n/16; i++ {
		hash += xxMix(data[16*i:], 16*(i-8)+3)
	}
	return xxAvalanche(hash + xxMix(data[n-16:], 136-17))
}

func xxLong(data []byte) uint64 {
	lanes := [8]uint64{
		xxPrime32_3, xxPrime64_1, xxPrime64_2, xxPrime64_3, xxPrime64_4, xxPrime32_2, xxPrime64_5, xxPrime32_1,
	}
	last := data[len(data)-64:]
	length := uint64(len(data))
	for stripe := 0; len(data) > 64; data = data[64:] {
		xxStripe(&lanes, data, 8*stripe)
		if stripe++; stripe == 16 && len(data) > 64 {
			stripe = 0
			for i := range lanes {
				lanes[i] = (lanes[i] ^ lanes[i]>>47 ^ xxKey(128+8*i)) * xxPrime32_1
			}
		}
	}
	xxStripe(&lanes, last, 192-64-7)
	hash := length * xxPrime64_1
	for i := 0; i < 8; i += 2 {
		hash += xxFold(lanes[i]^xxKey(11+8*i), lanes[i+1]^xxKey(19+8*i))
	}
	return xxAvalanche(hash)
}

func xxStripe(lanes *[8]uint64, data []byte, secret int) {
	for i := range lanes {
		value := binary.LittleEndian.Uint64(data[8*i:])
		key := value ^ xxKey(secret+8*i)
		lanes[i^1] += value
		lanes[i] += (key & 0xFFFFFFFF) * (key >> 32)
	}
}

func xxKey(at int) uint64 {
	key := uint64(0)
	for i := 7; i >= 0; i-- {
		key = key<<8 | uint64(xxSecret[at+i])
	}
	return key
}

func xxMix(data []byte, secret int) uint64 {
	low, high := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
	return xxFold(low^xxKey(secret), high^xxKey(secret+8))
}

func xxFold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func xxAvalanche(hash uint64) uint64 {
	hash ^= hash >> 37
	hash *= 0x165667919E3779F9
	return hash ^ hash>>32
}

func xxAvalancheOld(hash uint64) uint64 {
	hash ^= hash >> 33
	hash *= xxPrime64_2
	hash ^= hash >> 29
	hash *= xxPrime64_3
	return hash ^ hash>>32
}
